"""Times, errors and ratios that the program promises, each beside its bound; run.py prints them."""

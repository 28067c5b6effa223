"""Numbers as people read them: four significant digits, no exponent where a plain number will do."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def significant(value: float, digits: int = 4) -> str:
    """`value` with exactly `digits` significant digits, such as "0.1500", "−12.30", "3.100e7"."""
    if not math.isfinite(value):
        return "–"
    rounded = f"{value:.{digits - 1}e}"
    mantissa, exponent = rounded.split("e")
    power = int(exponent)
    if float(mantissa) == 0.0:
        text = f"{0.0:.{digits - 1}f}"
    elif -4 <= power < 6:
        text = f"{float(rounded):.{max(digits - 1 - power, 0)}f}"
    else:
        text = f"{mantissa}e{power}"
    return text.replace("-", MINUS)


def brief(value: float, most: int) -> str:
    """Four significant digits, or as many as `most` characters hold: "−12.8", "−1e−9"."""
    texts = [significant(value, digits) for digits in (4, 3, 2, 1)]
    fitting = [text for text in texts if len(text) <= most]
    return fitting[0] if fitting else _power(value)


def _power(value: float) -> str:
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def power_of_ten(exponent: int) -> str:
    """ "10⁻⁵", and "1" for 10⁰."""
    return f"10{str(exponent).translate(RAISED)}" if exponent else "1"


def compact(value: float, digits: int = 4) -> str:
    """The shortest text with at most `digits` significant digits, as typed into a field: "300", "0.15"."""
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = int(exponent)
    if -6 <= power < 9:
        return (
            f"{float(text):.{max(digits - 1 - power, 0)}f}".rstrip("0").rstrip(".")
            if power < 0
            else f"{float(text):.0f}"
        )
    return f"{mantissa}e{power}"


def parse(text: str) -> float | None:
    """The number in a field: a decimal comma and a real minus sign are understood; None if there is none."""
    try:
        value = float(text.strip().replace(",", ".").replace(MINUS, "-"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def clock(seconds: float) -> str:
    """Minutes and seconds of a recording: "0:07.4"."""
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths % 600 / 10:04.1f}"

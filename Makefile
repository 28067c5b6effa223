# Impulse. `make` alone lists what can be made. run and test set up everything they need by themselves.
.DEFAULT_GOAL := help
.PHONY: help run test lint bench soak gallery pybullet clean ready-run ready-test ready-bench

python := .venv/bin/python
video := impulse-arm_reach.mp4

# One virtual screen around all tests, stopped by xvfb-run at their end; nothing of the desktop's own session gets in.
screen := xvfb-run -a -s "-screen 0 2560x1440x24 +extension GLX +render -noreset" \
	env -u WAYLAND_DISPLAY -u XDG_SESSION_TYPE QT_QPA_PLATFORM=xcb LIBGL_ALWAYS_SOFTWARE=1

help:
	@echo 'Impulse, a laboratory for rigid bodies and robot arms'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile

run: ready-run  ## open the window; without a display make a short video of the default scene
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" != Linux ]; then \
		$(python) main.py; \
	else \
		echo 'There is no display, so a video is made instead of opening the window.'; \
		$(python) main.py record arm_reach $(video) --duration 6; \
	fi

# The window's tests take as long as all others, which run beside them and are told afterwards.
windows := test_window_ or test_end_to_end
test: lint  ## check the code and run all tests on a virtual screen
	@log=$$(mktemp); { $(python) -m pytest tests/physics tests/sim; first=$$?; \
	$(screen) $(python) -m pytest --ignore tests/physics --ignore tests/sim -k 'not ($(windows))' && exit $$first; } > "$$log" 2>&1 & beside=$$!; \
	$(screen) $(python) -m pytest tests/app -k '$(windows)'; status=$$?; \
	wait $$beside || status=1; cat "$$log"; rm -f "$$log"; exit $$status

lint: ready-test  ## ruff and mypy
	@$(python) -m ruff check .
	@$(python) -m mypy

soak: ready-test  ## the long tests: hours of simulated time
	@$(screen) $(python) -m pytest -m soak -o faulthandler_timeout=3600

bench: ready-bench  ## measure every time and accuracy the program promises, beside other engines
	@$(python) benchmarks/run.py

gallery: ready-test  ## draw all pictures and films again into build/gallery, and those that are shipped into assets/gallery
	@$(python) main.py gallery build/gallery
	@cp build/gallery/thumbnails* assets/gallery/
	@$(screen) $(python) main.py arm_reach --theme light --size 1160x725 --after 12 --shot build/gallery/window.png
	@$(screen) $(python) main.py double_pendulum:b --compare pybullet,reference --theme dark --size 1160x725 --after 6 \
		--shot build/gallery/comparison.png
	@$(python) main.py record arm_reach build/gallery/arm_reach.gif --duration 6 --fps 20 --size 480x320
	@cp build/gallery/window.png build/gallery/comparison.png build/gallery/arm_reach.gif assets/gallery/

pybullet:  ## build the PyBullet engine where there is no ready-made package (4 to 7 minutes)
	@scripts/setup.sh pybullet

clean:  ## remove .venv and caches; the next run sets everything up again
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

ready-run ready-test ready-bench: ready-%:
	@scripts/setup.sh $*

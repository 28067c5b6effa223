"""make on pretended machines: every tool that changes something is a script that only writes down its call."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = """
bash cat chmod cksum cp dirname echo env find flock grep id ln make mkdir mktemp rm sed sh sort tail tee touch uname
"""
LIBRARIES = """
libGL.so.1 libEGL.so.1 libglib-2.0.so.0 libdbus-1.so.3 libfontconfig.so.1 libxkbcommon-x11.so.0
libxcb-cursor.so.0 libxcb-icccm.so.4 libxcb-keysyms.so.1 libxcb-shape.so.0 libgallium-24.so
"""

# Pretends to be a Python of version $VERSION: makes environments, installs packages, runs the program.
PYTHON = """#!/bin/bash
version=@VERSION@
case "$*" in
  --version) echo "Python $version.0" ;;
  *version_info\\ \\<*) ((${version#3.} < 11)) && exit 1 || exit 0 ;;
  *'print("%d.%d"'*) echo $version ;;
  *ensurepip*) [ ! -e "$MACHINE/no-ensurepip" ] ;;
  *find_spec*pybullet* | *import\\ pybullet*) [ $version = 3.11 ] ;;
  *Python.h*) [ ! -e "$MACHINE/no-headers" ] ;;
  '-m venv .venv')
    echo "venv $version" >>"$MACHINE/calls"
    mkdir -p .venv/bin .venv/lib/python$version/site-packages/pip
    cp "$0" .venv/bin/python ;;
  *'-m pip install'*)
    call="$*"; echo "pip ${call#*pip install }" >>"$MACHINE/calls"
    echo '  Downloading numpy-2.4.0-cp311-cp311-linux_x86_64.whl (16.9 MB)'
    if [ -e "$MACHINE/pip-fails" ]; then echo 'ERROR: no route to host'; exit 1; fi
    if [ -e "$MACHINE/pip-killed" ]; then kill -KILL $PPID; fi ;;
  *) echo "python $*" >>"$MACHINE/calls"
     if [[ -e "$MACHINE/physics-fails" && "$*" == *"pytest tests/physics"* ]]; then echo 'no energy'; exit 1; fi
     if [[ -e "$MACHINE/window-fails" && "$*" == *--ignore* ]]; then echo 'no window'; exit 1; fi ;;
esac
"""

APT_GET = """#!/bin/bash
echo "apt-get $*" >>"$MACHINE/calls"
case "$1" in
  update) rm -f "$MACHINE/stale-lists" ;;
  install) [ ! -e "$MACHINE/stale-lists" ] || { echo 'E: Unable to locate package'; exit 100; }
           rm -f "$MACHINE/no-ensurepip" "$MACHINE/no-headers" ;;
esac
"""


@dataclass
class Machine:
    """A project folder with a space in its name, and a PATH that holds nothing but links to tools and fakes."""

    folder: Path
    project: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def fake(self, name: str, script: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def python(self, name: str, version: str) -> None:
        self.fake(name, PYTHON.replace("@VERSION@", version))

    def user(self, number: int) -> None:
        self.fake("id", f"#!/bin/bash\necho {number}\n")

    def libraries(self, *missing: str) -> None:
        present = [name for name in LIBRARIES.split() if name not in missing]
        lines = "".join(f"\\t{name} (libc6,x86-64) => /lib/{name}\\n" for name in present)
        self.fake("ldconfig", f"#!/bin/bash\nprintf '{lines}'\n")

    def say(self, fact: str) -> None:
        (self.folder / fact).touch()

    def make(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.bin), "MACHINE": str(self.folder), "HOME": str(self.folder)} | variables
        command = [self.bin / "make", *arguments]
        return subprocess.run(command, cwd=self.project, env=environment, capture_output=True, text=True, check=False)

    def calls(self) -> list[str]:
        """What was called since the last time this was asked."""
        path = self.folder / "calls"
        calls = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return calls


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Complete, with Python 3.11 and a user who is not root."""
    made = Machine(tmp_path, tmp_path / "my robots")
    made.bin.mkdir()
    for tool in TOOLS.split():
        found = shutil.which(tool)
        assert found, f"{tool} is not on this machine"
        (made.bin / tool).symlink_to(found)
    for tool in ("xauth", "xdotool"):
        made.fake(tool, "#!/bin/bash\n")
    made.fake("xvfb-run", '#!/bin/bash\necho screen >>"$MACHINE/calls"\nshift 3\nexec "$@"\n')
    made.fake("sudo", '#!/bin/bash\necho "sudo $*" >>"$MACHINE/calls"\n')
    made.fake("apt-get", APT_GET)
    made.fake("apt-cache", "#!/bin/bash\nexit 100\n")
    made.fake("uname", '#!/bin/bash\n[ "$1" = -m ] && echo x86_64 || echo Linux\n')
    made.python("python3.11", "3.11")
    made.user(1000)
    made.libraries()
    (made.project / "scripts").mkdir(parents=True)
    (made.project / "sim").mkdir()
    (made.project / "sim" / "jit.py").write_text("version = 1\n")
    for name in ("Makefile", "scripts/setup.sh", *(p.name for p in ROOT.glob("requirements*.txt"))):
        shutil.copy(ROOT / name, made.project / name)
    return made


PIP_RUN = "pip --disable-pip-version-check --no-input --progress-bar off -r requirements.txt"
WARMUP = "python main.py warmup"


def test_first_run_sets_up_and_second_only_starts(machine: Machine) -> None:
    first = machine.make("run", DISPLAY=":0")
    assert first.returncode == 0, first.stderr
    assert machine.calls() == ["venv 3.11", PIP_RUN, WARMUP, "python main.py"]
    assert "numpy 2.4.0 (16.9 MB)" in first.stdout
    second = machine.make("run", DISPLAY=":0")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert machine.calls() == ["python main.py"]


def test_run_without_a_display_makes_a_video(machine: Machine) -> None:
    run = machine.make("run")
    assert run.returncode == 0
    assert machine.calls()[-1] == "python main.py record arm_reach impulse-arm_reach.mp4 --duration 6"
    assert "no display" in run.stdout  # where the film is, the command says itself


def test_tests_run_on_a_virtual_screen_and_share_the_environment(machine: Machine) -> None:
    machine.make("run", DISPLAY=":0")
    machine.calls()
    assert machine.make("test").returncode == 0
    windows = "test_window_ or test_end_to_end"
    others = f"python -m pytest --ignore tests/physics --ignore tests/sim -k not ({windows})"
    tests = "python -m pytest tests/physics tests/sim", others, f"python -m pytest tests/app -k {windows}"
    checks = ["python -m ruff check .", "python -m mypy"]
    calls = machine.calls()
    assert calls[:3] == [f"{PIP_RUN} -r requirements-dev.txt", *checks]
    assert sorted(calls[3:]) == sorted([*tests, "screen", "screen"])  # side by side
    assert calls.index("screen") < calls.index(tests[2]) and calls.index(tests[0]) < calls.index(tests[1])
    assert machine.make("test").returncode == 0
    assert machine.calls()[:2] == checks


@pytest.mark.parametrize("part, said", [("physics-fails", "no energy"), ("window-fails", "no window")])
def test_tests_fail_where_either_part_fails(machine: Machine, part: str, said: str) -> None:
    machine.say(part)
    run = machine.make("test")
    assert run.returncode != 0
    assert said in run.stdout


def test_benchmarks_bring_their_peers_and_share_the_environment(machine: Machine) -> None:
    machine.make("test")
    machine.calls()
    assert machine.make("bench").returncode == 0
    bench = "python benchmarks/run.py"
    assert machine.calls() == [f"{PIP_RUN} -r requirements-bench.txt", WARMUP, bench]
    second = machine.make("bench")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert machine.calls() == [bench]


def test_changed_requirements_are_installed_into_the_same_environment(machine: Machine) -> None:
    machine.make("run", DISPLAY=":0")
    machine.calls()
    (machine.project / "requirements.txt").write_text("numpy\n")
    machine.make("run", DISPLAY=":0")
    assert machine.calls() == [PIP_RUN, WARMUP, "python main.py"]


def test_changed_sources_or_another_cache_are_compiled_again(machine: Machine) -> None:
    machine.make("run", DISPLAY=":0")
    machine.calls()
    (machine.project / "sim" / "jit.py").write_text("version = 2\n")
    machine.make("run", DISPLAY=":0")
    assert machine.calls() == [WARMUP, "python main.py"]
    machine.make("run", DISPLAY=":0", NUMBA_CACHE_DIR="elsewhere")
    assert machine.calls() == [WARMUP, "python main.py"]


@pytest.mark.parametrize("accident", ["pip-fails", "pip-killed"])
def test_a_half_made_environment_is_made_again(machine: Machine, accident: str) -> None:
    machine.say(accident)
    assert machine.make("run", DISPLAY=":0").returncode == 2
    assert machine.calls() == ["venv 3.11", PIP_RUN]
    (machine.folder / accident).unlink()
    assert machine.make("run", DISPLAY=":0").returncode == 0
    assert machine.calls() == ["venv 3.11", PIP_RUN, WARMUP, "python main.py"]


def test_failing_pip_shows_its_last_lines(machine: Machine) -> None:
    machine.say("pip-fails")
    run = machine.make("run", DISPLAY=":0")
    assert "ERROR: no route to host" in run.stderr
    assert "run the same command again" in run.stderr


def test_environment_whose_python_is_gone_is_made_again(machine: Machine) -> None:
    machine.make("run", DISPLAY=":0")
    machine.calls()
    python = machine.project / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nowhere/python3.11")
    assert machine.make("run", DISPLAY=":0").returncode == 0
    assert machine.calls()[:2] == ["venv 3.11", PIP_RUN]


def test_environment_of_somebody_else_is_not_removed(machine: Machine) -> None:
    theirs = machine.project / ".venv" / "precious"
    theirs.mkdir(parents=True)
    run = machine.make("run", DISPLAY=":0")
    assert run.returncode == 2
    assert "rm -r .venv" in run.stderr
    assert theirs.exists()


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        ({"python3.12": "3.12", "python3.13": "3.13", "python3.11": "3.11"}, "3.11"),
        ({"python3.12": "3.12", "python3.13": "3.13", "python3": "3.12"}, "3.13"),
        ({"python3.12": "3.12", "python3": "3.10"}, "3.12"),
        ({"python3": "3.12"}, "3.12"),
    ],
)
def test_python_is_3_11_or_the_newest_there_is(machine: Machine, pythons: dict[str, str], chosen: str) -> None:
    (machine.bin / "python3.11").unlink()
    for name, version in pythons.items():
        machine.python(name, version)
    run = machine.make("run", DISPLAY=":0")
    assert run.returncode == 0
    assert machine.calls()[0] == f"venv {chosen}"
    assert ("make pybullet" in run.stdout) == (chosen != "3.11")


def test_a_shim_without_a_python_behind_it_is_passed_over(machine: Machine) -> None:
    machine.fake("python3.11", "#!/bin/bash\nexit 127\n")
    later = machine.folder / "later"
    later.mkdir()
    machine.python("../later/python3.11", "3.11")
    machine.python("python3.12", "3.12")
    machine.make("run", DISPLAY=":0", PATH=f"{machine.bin}:{later}")
    assert machine.calls()[0] == "venv 3.11"


@pytest.mark.parametrize("user", [0, 1000])
def test_too_old_a_python_is_a_sentence(machine: Machine, user: int) -> None:
    machine.user(user)
    (machine.bin / "python3.11").unlink()
    machine.python("python3", "3.10")
    run = machine.make("run", DISPLAY=":0")
    assert run.returncode == 2
    assert "needs Python 3.11 or newer" in run.stderr
    assert machine.calls() == []


def test_missing_libraries_give_others_the_command(machine: Machine) -> None:
    machine.libraries("libEGL.so.1", "libxcb-cursor.so.0")
    (machine.bin / "xauth").unlink()
    machine.say("no-ensurepip")
    run = machine.make("test")
    assert run.returncode == 2
    assert "sudo apt-get install libegl1 libxcb-cursor0 xauth python3.11-venv\n" in run.stderr
    assert machine.calls() == []


def test_a_library_elsewhere_is_found_and_a_32_bit_one_is_not(machine: Machine) -> None:
    machine.libraries("libEGL.so.1")
    (machine.folder / "libEGL.so.1").touch()
    assert machine.make("run", DISPLAY=":0", LD_LIBRARY_PATH=f"/nowhere:{machine.folder}").returncode == 0
    with (machine.bin / "ldconfig").open("a") as script:
        script.write("printf '\\tlibEGL.so.1 (libc6) => /lib/i386/libEGL.so.1\\n'\n")
    run = machine.make("run", DISPLAY=":0")
    assert run.returncode == 2
    assert "apt-get install libegl1\n" in run.stderr


def test_root_installs_what_is_missing(machine: Machine) -> None:
    machine.user(0)
    machine.libraries("libglib-2.0.so.0")
    machine.say("no-ensurepip")
    machine.fake("apt-cache", '#!/bin/bash\n[ "$2" = libglib2.0-0t64 ]\n')
    assert machine.make("run", DISPLAY=":0").returncode == 0
    apt = "apt-get install -y --no-install-recommends libglib2.0-0t64 python3.11-venv"
    assert machine.calls()[:2] == [apt, "venv 3.11"]


def test_package_lists_are_fetched_only_when_they_are_needed(machine: Machine) -> None:
    machine.user(0)
    machine.say("no-ensurepip")
    machine.say("stale-lists")
    assert machine.make("run", DISPLAY=":0").returncode == 0
    apt = "apt-get install -y --no-install-recommends python3.11-venv"
    assert machine.calls()[:4] == [apt, "apt-get update", apt, "venv 3.11"]


def test_pybullet_is_built_where_there_is_no_package(machine: Machine) -> None:
    machine.user(0)
    (machine.bin / "python3.11").unlink()
    machine.python("python3.12", "3.12")
    machine.say("no-headers")
    run = machine.make("pybullet")
    assert run.returncode == 0
    assert "4 to 7 minutes" in run.stdout
    quiet = PIP_RUN.removesuffix(" -r requirements.txt")
    assert machine.calls()[2:] == [
        "apt-get install -y --no-install-recommends g++ python3.12-dev",
        f"{quiet} numpy setuptools wheel",
        f"{quiet} --no-build-isolation pybullet==3.2.7",
    ]


def test_pybullet_that_is_there_is_left_alone(machine: Machine) -> None:
    machine.make("run", DISPLAY=":0")
    machine.calls()
    assert machine.make("pybullet").returncode == 0
    assert machine.calls() == []


def test_make_alone_lists_the_targets(machine: Machine) -> None:
    listing = machine.make()
    assert listing.returncode == 0
    for target in ("run", "test", "lint", "bench", "soak", "pybullet", "clean"):
        assert f"make {target}\t" in listing.stdout
    assert machine.calls() == []


def test_scripts_are_executable() -> None:
    assert os.access(ROOT / "scripts" / "setup.sh", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)

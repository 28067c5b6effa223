"""The shortcuts through numba's compiler: they change no instruction of what it makes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Entries with bundles, tuples, loops, switches and kernels inside kernels.
COMPILE = """
import re
import numpy as np
from numba.core.ir import Inst
from sim.control.controls import decide
from sim.control.desk import Desk
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import tree_of
from sim.files import load
from sim.jit import address
from sim.model import compile_model

model = compile_model(load("three_link_arm"))
nb = len(model.body_names)
poses = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((model.nv, 6)), np.eye(3), np.eye(3)
address(kinematics, tree_of(model), model.q0, *poses)
address(decide, Desk(model).bundle, 0.0, 0.0)
print(Inst._rec_list_vars.__module__)
for entry in (kinematics, decide):
    for made in entry.inspect_asm().values():
        print(*re.findall("^\\t[a-z].*", made, re.MULTILINE), sep="\\n")
"""

PLAINLY = """
import sim.shortcuts
sim.shortcuts.NEEDLESS = ()
sim.shortcuts.take_shortcuts = lambda: None
"""


def instructions(source: str, cache: Path) -> list[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONHASHSEED": "0"}
    run = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return re.sub("object at 0x[0-9a-f]+", "object", run.stdout).splitlines()  # names of constants in numba 0.62


def test_shortcuts_make_the_same_machine_code(tmp_path: Path) -> None:
    short, plain = instructions(COMPILE, tmp_path / "short"), instructions(PLAINLY + COMPILE, tmp_path / "plain")
    assert (short[0], plain[0]) == ("sim.shortcuts", "numba.core.ir")
    assert len(plain) > 2000
    assert short[1:] == plain[1:]

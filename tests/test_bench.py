"""The benchmarks' own promises: a bound passed is an exit code, and a missing peer is a sentence."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import run
from benchmarks.mechanics import Motion, from_inertial, joint_gap, start, to_inertial, totals
from benchmarks.mechanisms import chain, double_pendulum, horizontal, nearly_hanging, tumbling_body, zigzag
from benchmarks.table import Row, at_least, at_most
from sim.backend import Diverged, create
from sim.model import compile_model
from tests.worlds import energy, random_tree

ROOT = Path(__file__).parent.parent

WITHOUT_PEERS = """
import sys
sys.modules.update({name: None for name in ("mujoco", "pinocchio", "pybullet")})
import benchmarks.run
sys.exit(benchmarks.run.main(sys.argv[1:]))
"""


def topic(*lines: Row | str, peers: tuple[str, ...] = ()) -> Any:
    """A topic that yields these."""
    return SimpleNamespace(__doc__="A topic.", PEERS=peers, measure=lambda: iter(lines))


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        (at_most("x", 1.0, 2.0), True),
        (at_most("x", 2.0, 2.0), True),
        (at_most("x", 2.1, 2.0), False),
        (at_least("x", 3.0, 2.0), True),
        (at_least("x", 2.0, 2.0), True),
        (at_least("x", 1.9, 2.0), False),
        (at_most("x", math.nan, 2.0), False),
        (at_least("x", math.nan, 2.0), False),
    ],
)
def test_exit_code_and_mark_follow_the_bound(row: Row, kept: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.report({"a": topic("some figures", row)}) == (0 if kept else 1)
    assert ("\nok   x" in (printed := capsys.readouterr().out)) == kept
    assert ("\nPAST x" in printed) != kept


def test_one_row_past_its_bound_fails_the_run_and_the_others_are_still_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run.report({"a": topic(at_most("first", 3.0, 2.0)), "b": topic(at_most("second", 1.0, 2.0))}) == 1
    assert "PAST first" in (printed := capsys.readouterr().out)
    assert "ok   second" in printed


def test_rows_stand_in_columns() -> None:
    gap, faster = at_most("gap", 1.5e-11, 1e-8, "m"), at_least("horizontal, 10 links: faster", 12.0, 10.0, "×")
    assert str(gap).index("at most") == str(faster).index("at least")


def test_an_engine_that_fails_is_a_sentence_and_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    def measure() -> Any:
        yield at_most("before", 1.0, 2.0)
        raise Diverged('body "link3" became infinite')

    broken = SimpleNamespace(__doc__="A topic.", PEERS=(), measure=measure)
    assert run.report({"broken": broken, "b": topic(at_most("after", 1.0, 2.0))}) == 1
    printed = capsys.readouterr().out
    assert 'PAST not measured: body "link3" became infinite' in printed
    assert "ok   before" in printed and "ok   after" in printed


def test_every_topic_is_in_the_table() -> None:
    folder = ROOT / "benchmarks"
    having_measure = {path.stem for path in folder.glob("*.py") if "\ndef measure()" in path.read_text(encoding="utf8")}
    assert having_measure == set(run.TOPICS)


def test_topics_are_listed_and_imported_without_their_peers() -> None:
    listing = _without_peers("--list")
    assert listing.returncode == 0, listing.stderr
    assert [line.split()[0] for line in listing.stdout.splitlines()] == list(run.TOPICS)


def test_a_missing_peer_is_said_and_fails_the_run() -> None:
    bench = _without_peers("free")
    assert bench.returncode == 1
    assert "PAST MuJoCo is not installed; `make bench` installs it." in bench.stdout
    assert "PAST PyBullet is not installed; `make pybullet` builds it." in bench.stdout
    assert bench.stderr == ""


def _without_peers(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_PEERS, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_an_unknown_topic_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run.main(["chians"])
    assert stop.value.code == 2
    assert 'there is no topic "chians"; there are startup,' in capsys.readouterr().err


@pytest.mark.parametrize("pose", [horizontal, nearly_hanging, zigzag])
def test_engines_start_a_chain_where_the_scene_says(pose: Any) -> None:
    model = compile_model(chain(pose(30)))
    begin, reading = start(model), create("impulse", model).read()
    assert np.allclose(reading.position, begin.position, atol=1e-12)
    assert np.allclose(reading.rotation, begin.rotation, atol=1e-12)
    assert joint_gap(model, begin) < 1e-12


def test_the_horizontal_chain_is_horizontal_and_the_others_hang() -> None:
    length = 3.0
    tips = {pose: start(compile_model(chain(pose(30)))).position[-1] for pose in (horizontal, nearly_hanging, zigzag)}
    assert np.allclose(tips[horizontal], [0.0, length - 0.1, 0.0], atol=1e-12)
    for pose in (nearly_hanging, zigzag):
        assert -length + 0.1 <= tips[pose][2] < -0.99 * (length - 0.1)


@pytest.mark.parametrize("seed", range(3))
def test_motion_told_by_inertial_frames_and_back_is_the_same(seed: int) -> None:
    model = compile_model(random_tree(seed))
    r = create("impulse", model).read()
    motion = Motion(r.position, r.rotation, r.twist)
    back = from_inertial(model, to_inertial(model, motion))
    for there, here in zip(back, motion, strict=True):
        assert np.allclose(there, here, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_totals_are_the_energy_summed_by_hand(seed: int) -> None:
    model = compile_model(random_tree(seed))
    r = create("impulse", model).read()
    found = totals(model, Motion(r.position, r.rotation, r.twist))
    assert found.kinetic + found.potential == pytest.approx(energy(model, r), rel=1e-12)


def test_a_joint_pulled_apart_has_that_gap() -> None:
    begin = start(model := compile_model(double_pendulum(0.5, 0.5)))
    pulled = np.array([[0.0, 0.0, 0.0], [0.0, 0.003, 0.004]])
    apart = begin._replace(position=begin.position + pulled)
    assert joint_gap(model, apart) == pytest.approx(0.005, rel=1e-12)


def test_the_tumbling_body_spins_about_its_middle_axis() -> None:
    model = compile_model(tumbling_body())
    middle = start(model).rotation[0] @ model.body_axes[0][:, 1]
    spin = start(model).twist[0, :3]
    assert abs(spin @ middle) > 0.999 * np.linalg.norm(spin)

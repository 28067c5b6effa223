"""What a log says about a run, read back from its files."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from sim.files import load
from sim.files.log import Log
from sim.history import History
from sim.model import Model, compile_model
from sim.robot import Robot
from sim.scene import Body, CirclePath, Joint, Pose, Scene
from sim.simulation import Simulation

INERTIA = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
HEADER = (
    "time [s],q.kite.position.x [m],q.kite.position.y [m],q.kite.position.z [m],"
    "q.kite.rotation.w [1],q.kite.rotation.x [1],q.kite.rotation.y [1],q.kite.rotation.z [1],"
    "q.neck.w [1],q.neck.x [1],q.neck.y [1],q.neck.z [1],q.elbow [rad],"
    "v.kite.angular.x [rad/s],v.kite.angular.y [rad/s],v.kite.angular.z [rad/s],"
    "v.kite.linear.x [m/s],v.kite.linear.y [m/s],v.kite.linear.z [m/s],"
    "v.neck.x [rad/s],v.neck.y [rad/s],v.neck.z [rad/s],v.elbow [rad/s],"
    "torque.elbow [N·m],kinetic [J],potential [J],joint_gap [m]"
)


@pytest.fixture
def model() -> Model:
    """A free body, and a head on a passive ball joint with a driven hinge behind it."""
    bodies = tuple(Body(name, 1.0, (0.0, 0.0, 0.0), INERTIA) for name in ("kite", "head", "arm"))
    joints = (
        Joint("neck", "ball", "world", "head", actuated=False),
        Joint("elbow", "hinge", "head", "arm", at=Pose((0.0, 0.0, 1.0))),
    )
    return compile_model(Scene("test", "Test", bodies=bodies, joints=joints))


def history(model: Model) -> History:
    """Two rows of numbers that have no short decimal form."""
    kept = History(model, 1e-3)
    for row in np.random.default_rng(3).normal(size=(2, kept.rows.shape[1])) * 1e-9 / 3:
        write(kept, row)
    return kept


def write(kept: History, row: np.ndarray) -> None:
    kept.rows[kept.count % len(kept.rows)] = row
    kept.counter[0] += 1


def logged(model: Model) -> Log:
    log = Log(model)
    log.add(history(model))
    return log


def test_csv_names_every_column_with_its_unit(model: Model, tmp_path: Path) -> None:
    logged(model).save(tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == HEADER
    assert len(lines) == 3


def test_both_formats_give_back_the_same_bits(model: Model, tmp_path: Path) -> None:
    log = logged(model)
    log.save(tmp_path / "run.csv")
    log.save(tmp_path / "run.npz")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with np.load(tmp_path / "run.npz") as arrays:
        assert arrays.files == HEADER.split(",")
        kept = history(model)
        parts = ("time", "q", "v", "tau", "kinetic", "potential", "gap")
        columns = np.hstack(
            [
                kept.rows[:2, kept.columns[part]][:, -1:] if part == "tau" else kept.rows[:2, kept.columns[part]]
                for part in parts
            ]
        )
        for n, values in enumerate(columns):
            for name, value in zip(arrays.files, values, strict=True):
                assert float(rows[n][name]) == value
                assert arrays[name][n] == value
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.npz"]


def test_a_log_that_cannot_be_written_leaves_nothing(model: Model, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        logged(model).save(tmp_path / "missing" / "run.csv")
    (tmp_path / "taken.npz").mkdir()
    with pytest.raises(IsADirectoryError):
        logged(model).save(tmp_path / "taken.npz")
    assert os.listdir(tmp_path) == ["taken.npz"]


def test_a_log_without_rows_still_has_its_columns(model: Model, tmp_path: Path) -> None:
    Log(model).save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text(encoding="utf-8") == HEADER + "\n"


def test_every_row_is_logged_once_however_it_is_gathered(model: Model) -> None:
    kept, at_once, bit_by_bit = History(model, 1.0), Log(model), Log(model)
    size = len(kept.rows)
    for n in range(size + 30):
        write(kept, np.full(kept.rows.shape[1], n / 3))
        if n % 7 == 0:
            bit_by_bit.add(kept)
    at_once.add(kept)
    bit_by_bit.add(kept)
    assert bit_by_bit.rows[:, 0].tolist() == [n / 3 for n in range(size + 30)]
    assert np.array_equal(at_once.rows, bit_by_bit.rows[30:])


def test_a_log_tells_where_the_target_was_and_how_far_the_tool_was_from_it(tmp_path: Path) -> None:
    """On its circle; and the distance is that of the tool at the logged coordinates, by forward kinematics."""
    scene = load("arm_reach")
    world = Simulation(scene)
    world.advance(0.5)
    log = Log(world.model)
    log.add(world.history)
    world.close()
    log.save(tmp_path / "run.npz")
    [target], robot = scene.targets, Robot(scene)
    assert isinstance(target.path, CirclePath)
    with np.load(tmp_path / "run.npz") as told:
        at = np.stack([told[f"target.{target.name}.{c} [m]"] for c in "xyz"], axis=1)
        q = np.stack([told[f"q.{name} [rad]"] for name in world.model.joint_names], axis=1)
        error, time = told[f"error.{target.name} [m]"], told["time [s]"]
    assert len(time) == 501
    out = at - target.position
    assert np.linalg.norm(out, axis=1) == pytest.approx(0.15)
    assert out @ target.path.normal == pytest.approx(0.0, abs=1e-12)
    assert out @ out[0] == pytest.approx(0.15**2 * np.cos(2 * np.pi * time / 6.0))
    tool = np.array([robot.pose(target.frame, row)[:3, 3] for row in q])
    assert error == pytest.approx(np.linalg.norm(tool - at, axis=1), abs=1e-9)
    assert error.max() > 1e-4

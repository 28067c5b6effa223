"""The gallery against its plan."""

from __future__ import annotations

import json

import av
import numpy as np
import pytest

from app.cli import main
from app.commands import gallery
from app.commands.gallery import FILMS, FPS, SCRIPTS, moments
from sim.files import load
from sim.simulation import Simulation

# In its order.
PLAN = (
    "free_body free_bodies ball_chain hinge_chain long_chain four_bar parallelogram slider_crank double_pendulum "
    "planar_2r rp_robot arm_6r arm_6r_reach three_link_arm arm_gravity arm_pd arm_reach ball_arm ball_arm_gravity "
    "ball_arm_pd ball_arm_reach"
)
VARIANTS = {"double_pendulum": "a b c", "rp_robot": "forced hanging locked locked_ramp", "planar_2r": "identify rods"}


def test_the_gallery_is_the_plan_in_its_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenes", "--json"]) == 0
    scenes = {scene["name"]: scene for scene in json.loads(capsys.readouterr().out)}
    assert list(scenes) == PLAN.split()
    for name, scene in scenes.items():
        assert set(scene["variants"]) <= set(VARIANTS.get(name, "").split())
    assert scenes["double_pendulum"]["variants"] == ["a", "b", "c"]


def test_films_are_written_with_what_the_hand_does(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(gallery, "FILMS", {"arm_gravity": 0.2, "arm_reach": 0.1})
    for path, frames in zip(gallery._write_films(tmp_path), (6, 3), strict=True):
        with av.open(path) as film:
            assert len(list(film.decode(video=0))) == frames


@pytest.mark.parametrize("name", FILMS)
def test_no_film_stands_still(name: str) -> None:
    """In every third of it a body moves by two centimetres or turns by two degrees at least."""
    simulation, frames = Simulation(load(name)), round(FILMS[name] * FPS)
    seen = []
    for _ in moments(simulation, frames, FPS, SCRIPTS.get(name, [])):
        snapshot = simulation.snapshot()
        seen.append((snapshot.position, snapshot.rotation))
    simulation.close()
    for first in range(0, frames, frames // 3):
        position, rotation = (np.array(part) for part in zip(*seen[first : first + frames // 3], strict=True))
        moved = np.linalg.norm(np.ptp(position, axis=0), axis=-1).max()
        turned = np.abs(np.ptp(rotation, axis=0)).max()
        assert moved > 0.02 or turned > np.sin(np.radians(2.0))

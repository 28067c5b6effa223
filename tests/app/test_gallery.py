"""The gallery against its plan."""

from __future__ import annotations

import json

import pytest

from app.cli import main

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

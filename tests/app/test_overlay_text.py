"""Text painted over the viewport: it hides nothing that it is about."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF

from app.overlay import pill_box
from app.stage import load_stage
from tests.app.test_visuals import surface_points

VIEWS = ((495, 296), (814, 495), (1456, 775))  # of windows of 960×600, 1280×800 and 1920×1080


@pytest.mark.parametrize("size", VIEWS)
@pytest.mark.parametrize("name", ["arm_reach", "arm_6r_reach", "ball_arm_reach"])
def test_the_hint_lies_beside_the_scene(qapp, size: tuple[int, int], name: str):
    stage, box = load_stage(name), pill_box(*size)
    assert box.left() > 0 and box.right() < size[0] and box.bottom() < size[1]
    seen = stage.home().project(surface_points(stage.visuals, stage.rest), *size)
    assert not [point for point in seen if box.contains(QPointF(*point))]

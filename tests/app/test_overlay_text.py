"""Text painted over the viewport: it hides nothing that it is about."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF, QRectF

from app.gestures import Caption
from app.overlay import caption_box, pill_box
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


@pytest.mark.parametrize("leftwards", [True, False])
@pytest.mark.parametrize("x", [10.0, 100.0, 400.0, 710.0, 790.0])
def test_a_text_is_inside_the_view_and_on_its_side_of_the_point(qapp, x: float, leftwards: bool):
    """Away from what is pulled; on the other side only where there is no room."""
    box = caption_box(QRectF(0.0, 0.0, 800.0, 500.0), Caption("218 N", x, 250.0, leftwards))
    assert box.left() >= 4.0 and box.right() <= 796.0 and not box.contains(QPointF(x, 250.0))
    room = x > 90.0 if leftwards else x < 713.0
    assert (box.right() < x) is (leftwards if room else not leftwards)

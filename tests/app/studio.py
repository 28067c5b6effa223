"""A place to draw pictures in tests, and words for what is seen in them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from app.camera import Camera, fit
from app.render.offscreen import OffscreenRenderer
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import rgb
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene
from sim.state import Snapshot

WIDTH, HEIGHT = 480, 320
AMBER = (255, 176, 0)


class Studio:
    """Runs everything that needs the context in the one thread that has it."""

    def __init__(self) -> None:
        gc.collect()  # windows that other tests left are freed here, in Qt's thread, and not in the one that draws
        self._thread = ThreadPoolExecutor(1)

    def run(self, work: Callable[..., Any], *args: Any) -> Any:
        return self._thread.submit(work, *args).result()

    def draw(self, scene: Scene, view: View, snapshot: Snapshot | None = None, quality: str = "fine") -> np.ndarray:
        """(HEIGHT, WIDTH, 3) integers, red first."""

        def work() -> np.ndarray:
            from OpenGL import GL

            renderer = OffscreenRenderer(scene, WIDTH, HEIGHT, quality)
            try:
                picture = renderer.render(snapshot or rest_snapshot(scene), view)
                assert GL.glGetError() == GL.GL_NO_ERROR
            finally:
                renderer.close()
            assert picture.shape == (HEIGHT, WIDTH, 4) and picture.dtype == np.uint8
            assert (picture[:, :, 3] == 255).all()
            return picture[:, :, 2::-1].astype(int)

        return self.run(work)

    def close(self) -> None:
        self._thread.shutdown()


def home(scene: Scene) -> Camera:
    visuals = Visuals(scene, compile_model(scene))
    return fit(visuals.center, visuals.radius)


def pixel(camera: Camera, point: Any) -> tuple[int, int]:
    """Row and column of a world point."""
    x, y = camera.project(point, WIDTH, HEIGHT)[0]
    return round(y), round(x)


def centroid(picture: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    rows, columns = np.nonzero((picture == color).all(axis=2))
    assert len(rows) > 30
    return np.array([columns.mean(), rows.mean()])


def byte(color: str) -> np.ndarray:
    return np.round(np.multiply(rgb(color), 255)).astype(int)

"""Renderers that are compared, each in a process of its own: `python -m benchmarks.painters NAME COUNT`.

stdin: a number of frames a line. stdout: first what is drawn, as JSON; then, for each line, the processor time of each
frame. Every frame moves every body and ends with its pixels in memory.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

WIDTH, HEIGHT = 1280, 720
RADIUS, EDGE = 0.5, 0.8  # of the balls and boxes, in cells of the lattice they stand on
KEPT: list[Any] = []  # what has to live as long as the process
POSES = 8  # sets of places that frames go through


def places(count: int) -> Iterator[Array]:
    """(count, 3): a lattice in a slab above the floor, shaken; seen whole by every camera here."""
    side = round(count ** (1 / 3)) + 1
    lattice = np.stack(np.meshgrid(*3 * [np.arange(side)], indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    rng = np.random.default_rng(1)
    while True:
        for _ in range(POSES):
            yield lattice - [side / 2, side / 2, -0.5] + rng.uniform(-0.1, 0.1, (count, 3))


def segments(level: str, count: int) -> int:
    """Around a ball, as our renderer chooses."""
    from app.render.geometry import round_segments
    from app.render.renderer import QUALITIES

    return round_segments(QUALITIES[level].segments, count)


def triangles(frame: Callable[[], None]) -> int:
    """That the driver draws in a frame, in all passes; the context is the one of the last frame."""
    from OpenGL import GL

    query = int(GL.glGenQueries(1)[0])
    GL.glBeginQuery(GL.GL_PRIMITIVES_GENERATED, query)
    frame()
    GL.glEndQuery(GL.GL_PRIMITIVES_GENERATED)
    return int(GL.glGetQueryObjectuiv(query, GL.GL_QUERY_RESULT))


def ours(level: str, count: int) -> tuple[dict[str, Any], Callable[[], None]]:
    from dataclasses import replace

    from app.camera import fit
    from app.render.offscreen import OffscreenRenderer
    from app.render.renderer import QUALITIES
    from app.render.view import View
    from sim.rest import rest_snapshot

    # What throws shadows is drawn as finely as the picture here, as the others do it.
    quality = QUALITIES[level] = replace(QUALITIES[level], caster_segments=QUALITIES[level].segments)
    scene = lattice_scene(count)
    renderer = OffscreenRenderer(scene, WIDTH, HEIGHT, level)
    rest, where = rest_snapshot(scene), places(count)
    view = View(fit(*renderer.visuals.bounds(rest)))

    def frame() -> None:
        renderer.render(replace(rest, position=next(where)), view)

    return {"shadow": f"{quality.shadow_texels}²", "samples": quality.samples}, frame


def lattice_scene(count: int) -> Any:
    from sim.scene import Body, Pose, Scene, Shape

    shapes = (Shape("sphere", (RADIUS,)), Shape("box", (EDGE, EDGE, EDGE)))
    inertia = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    bodies = tuple(
        Body(f"b{i}", 1.0, (0.0, 0.0, 0.0), inertia, (shapes[i % 2],), Pose(tuple(map(float, p))))
        for i, p in enumerate(next(places(count)))
    )
    return Scene("lattice", "Lattice", gravity=(0.0, 0.0, 0.0), bodies=bodies)


def mujoco(level: str, count: int) -> tuple[dict[str, Any], Callable[[], None]]:
    """With a shadow map and samples as ours at that level; its balls need more stacks for as many triangles."""
    os.environ["MUJOCO_GL"] = "egl"
    import mujoco as mj

    from app.render.renderer import QUALITIES

    around, quality = segments(level, count), QUALITIES[level]
    size = {"sphere": f"{RADIUS}", "box": 3 * f"{EDGE / 2} "}
    bodies = "".join(
        f'<body mocap="true"><geom type="{kind}" size="{size[kind]}" rgba=".37 .42 .48 1"/></body>'
        for kind in (("sphere", "box")[i % 2] for i in range(count))
    )
    side = count ** (1 / 3)
    model = mj.MjModel.from_xml_string(
        f'<mujoco><visual><quality shadowsize="{quality.shadow_texels}" offsamples="{quality.samples}" '
        f'numslices="{around}" numstacks="{3 * around // 5}" numquads="1"/>'
        f'<global offwidth="{WIDTH}" offheight="{HEIGHT}"/></visual><worldbody>'
        f'<light type="directional" castshadow="true" pos="{side} {-1.3 * side} {2.4 * side}" dir="-.35 .45 -.82"/>'
        f'<geom type="plane" size="{10 * side} {10 * side} 1" rgba=".89 .91 .94 1"/>{bodies}</worldbody></mujoco>'
    )
    data, where = mj.MjData(model), places(count)
    renderer = mj.Renderer(model, HEIGHT, WIDTH, max_geom=count + 100)
    camera = mj.MjvCamera()
    camera.lookat[:] = (0.0, 0.0, side / 2)
    camera.distance, camera.azimuth, camera.elevation = 3.2 * side, 130.0, -18.0

    def frame() -> None:
        data.mocap_pos[:] = next(where)
        mj.mj_kinematics(model, data)
        mj.mj_camlight(model, data)
        renderer.update_scene(data, camera)
        renderer.render()

    drawn = renderer._mjr_context
    return {"shadow": f"{drawn.shadowSize}²", "samples": drawn.offSamples}, frame


def pyqtgraph(level: str, count: int) -> tuple[dict[str, Any], Callable[[], None]]:
    """It has no shadows; without samples, as ours at the level Fast."""
    import pyqtgraph.opengl as gl
    from PyQt6.QtGui import QMatrix4x4
    from PyQt6.QtWidgets import QApplication

    application = QApplication(["painters"])
    KEPT.append(application)
    around = segments(level, count)
    meshes = (gl.MeshData.sphere(rows=around // 2, cols=around, radius=RADIUS), box_mesh(gl))
    view = gl.GLViewWidget()
    view.resize(WIDTH, HEIGHT)
    side = count ** (1 / 3)
    view.setCameraPosition(distance=3.2 * side, elevation=18, azimuth=-50)
    floor = gl.GLGridItem()
    floor.setSize(10 * side, 10 * side)
    view.addItem(floor)
    items = [gl.GLMeshItem(meshdata=meshes[i % 2], smooth=i % 2 == 0, shader="shaded") for i in range(count)]
    for item in items:
        view.addItem(item)
    view.show()
    application.processEvents()
    where = places(count)

    def frame() -> None:
        for item, (x, y, z) in zip(items, next(where), strict=True):
            matrix = QMatrix4x4()
            matrix.translate(x, y, z)
            item.setTransform(matrix)
        view.grabFramebuffer()

    view.makeCurrent()
    return {"shadow": "none", "samples": view.format().samples()}, frame


def box_mesh(gl: Any) -> Any:
    from app.render.mesh import unit_meshes
    from app.render.solids import BOX

    mesh = unit_meshes(8)[BOX]
    return gl.MeshData(vertexes=mesh.vertices[:, :3] * EDGE / 2, faces=mesh.triangles)


def python_time(level: str, count: int) -> tuple[dict[str, Any], Callable[[], None]]:
    """Our frame with a driver that answers at once: what Python and NumPy take of it."""
    from app.render import canvas, geometry, renderer, shadow

    words, frame = ours(level, count)
    frame()  # whatever is made once is there

    class Answering:
        def __getattr__(self, name: str) -> Any:
            return (lambda *_: 0) if name.startswith("gl") else getattr(real, name)

    real, silent = renderer.GL, Answering()
    for module in (canvas, geometry, renderer, shadow):
        module.GL = silent  # type: ignore[assignment]
    import app.render.offscreen as offscreen

    offscreen.OffscreenTarget.read = lambda self: self._pixels  # type: ignore[method-assign]
    return words, frame


def shadowless(level: str, count: int) -> tuple[dict[str, Any], Callable[[], None]]:
    """Ours with nothing that throws a shadow, beside renderers that have none."""
    from app.render.geometry import Geometry

    Geometry.draw_casters = lambda self: None  # type: ignore[method-assign]
    words, frame = ours(level, count)
    return {**words, "shadow": "none"}, frame


PAINTERS = {"ours": ours, "shadowless": shadowless, "mujoco": mujoco, "pyqtgraph": pyqtgraph, "python": python_time}


def main(name: str, level: str, count: str) -> None:
    words, frame = PAINTERS[name](level, int(count))
    frame()
    if name != "python":
        words["triangles"] = triangles(frame)
    print(json.dumps(words), flush=True)
    for line in sys.stdin:
        seconds = []
        for _ in range(int(line)):
            begin = time.process_time()
            frame()
            seconds.append(time.process_time() - begin)
        print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

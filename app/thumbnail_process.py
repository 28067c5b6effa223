"""The process that draws pictures for the gallery: `python -m app.thumbnail_process`.

stdin: one JSON object a line, {"scene", "theme", "path", "name"}; stdout: the same line when the file is there.
A scene that cannot be read or has become another one has no picture.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from app import thumbnail
from app.render.platform import NoOpenGL
from app.video_encoder import VideoError
from sim.files import load
from sim.scene import SceneError

NICENESS = 15  # everything else comes first
MOST_KEPT = 400  # pictures in the cache


def main() -> int:
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            _draw(order)
        except (SceneError, VideoError, OSError):
            continue
        except NoOpenGL as problem:
            print(problem, file=sys.stderr)
            return 1
        print(json.dumps(order), flush=True)
    return 0


def _draw(order: dict[str, str]) -> None:
    scene, path = load(order["scene"]), Path(order["path"])
    if thumbnail.name_of(scene) != order["name"]:
        raise SceneError("the file has changed")
    path.parent.mkdir(parents=True, exist_ok=True)
    thumbnail.write(thumbnail.draw(scene, order["theme"]), path)
    _forget_oldest(path.parent)


def _forget_oldest(folder: Path) -> None:
    pictures = sorted(folder.glob("*.png"), key=lambda picture: picture.stat().st_mtime)
    for picture in pictures[:-MOST_KEPT]:
        picture.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())

"""Written scenes: read back they are the same to the last bit, and files that were there keep what people wrote."""

from __future__ import annotations

import os
import tomllib
from dataclasses import MISSING, fields, replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.control import CONTROLLERS
from sim.files import builtin_names, load, read_scene
from sim.files.scene_file import parse_scene
from sim.files.scene_writer import scene_text, write_scene
from sim.scene import (
    SOLVERS,
    STABILISATIONS,
    Body,
    CameraSpec,
    CirclePath,
    ControllerSpec,
    FormulaPath,
    Frame,
    Input,
    Joint,
    LinePath,
    Pose,
    Scene,
    SceneError,
    Shape,
    Target,
    WaypointPath,
)
from sim.spatial.inertia import mass_properties

FOLDER = Path(__file__).parent
EVERY = [f"{name}{v}" for name in builtin_names() for v in ("", *(f":{v}" for v in load(name).variants))]


def anonymous(scene: Scene) -> Scene:
    """Without what a file has from its name, its place and its variants."""
    return replace(scene, name="", path=None, variant="", variants=())


def bits(scene: Scene) -> str:
    """repr of a float is exact and tells 0.0 from -0.0."""
    return repr(anonymous(scene))


def read_back(scene: Scene) -> Scene:
    return parse_scene(scene_text(scene), "written.toml")


@pytest.mark.parametrize("name", EVERY)
def test_built_in_scenes_come_back_to_the_bit(name: str, tmp_path: Path) -> None:
    scene = load(name)
    path = tmp_path / "copy.toml"

    write_scene(scene, path)

    assert bits(read_scene(path)) == bits(scene)
    if "inertia" not in Path(str(scene.path)).read_text(encoding="utf-8"):
        assert "inertia" not in path.read_text(encoding="utf-8"), "the shapes say it"


@pytest.mark.parametrize("name", ["arm", "machine", "machine:heavy", "machine:free"])
def test_the_scenes_of_the_tests_come_back(name: str) -> None:
    stem, _, variant = name.partition(":")
    scene = read_scene(FOLDER / f"{stem}.toml", variant or None)
    assert bits(read_back(scene)) == bits(scene)


class Chance:
    """Scenes with every field at random, by one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def number(self, low: float = -2.0, high: float = 2.0) -> float:
        """Often a round one, sometimes -0.0, tiny or large."""
        kind = self.rng.integers(6)
        if kind == 0 and low < 0 < high:
            return float(self.rng.choice([0.0, -0.0, 1.0, -1.0, 5e-324, -1e-300]))
        value = float(self.rng.uniform(low, high))
        return round(value, 2) if kind < 3 and low < round(value, 2) < high else value

    def numbers(self, count: int, low: float = -2.0, high: float = 2.0) -> tuple[Any, ...]:
        return tuple(self.number(low, high) for _ in range(count))

    def maybe(self, value: Any, other: Any) -> Any:
        return value if self.rng.random() < 0.6 else other

    def quat(self) -> tuple[Any, ...]:
        q = self.rng.normal(size=4)
        if self.rng.random() < 0.4:
            q[1 + np.delete(np.arange(3), self.rng.integers(3))] = 0.0
        return tuple((q / np.linalg.norm(q)).tolist())

    def pose(self) -> Pose:
        return Pose(self.maybe(self.numbers(3), (0.0, 0.0, 0.0)), self.maybe(self.quat(), (1.0, 0.0, 0.0, 0.0)))

    def shape(self) -> Shape:
        kind, count = [("box", 3), ("sphere", 1), ("cylinder", 2), ("capsule", 2)][self.rng.integers(4)]
        color = str(self.rng.choice(["link", "link2", "base", "#01aBef"]))
        return Shape(kind, self.numbers(count, 0.01, 3.0), self.pose(), color)

    def body(self, name: str, free: bool) -> Body:
        shapes = tuple(self.shape() for _ in range(self.rng.integers(4)))
        mass = self.number(0.1, 5.0)
        turn = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
        t = turn @ np.diag(self.rng.uniform(0.5, 0.9, 3)) @ turn.T
        center, inertia = self.numbers(3), tuple(t[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
        if self.rng.random() < 0.3:
            inertia = (0.5, 0.6, 0.7, 0.0, 0.0, 0.0)
        if shapes and self.rng.random() < 0.5:
            solid = mass_properties(shapes)
            center, inertia = tuple(solid.center.tolist()), solid.scaled(mass).six()
        moving = {"pose": self.pose(), "velocity": self.maybe(self.numbers(6), (0.0,) * 6)} if free else {}
        return Body(name, mass, center, inertia, shapes, **moving)

    def joint(self, name: str, kind: str, parent: str, child: str) -> Joint:
        given: dict[str, Any] = {"at": self.pose(), "child_at": self.pose()}
        low, high = sorted((self.number(-3, 3), self.number(-3, 3)))
        stops: dict[str, Any] = {}
        if kind in ("hinge", "slider"):
            given |= {"axis": (self.number(), self.number(), 1.5), "rotor_inertia": self.number(1e-6, 1.0)}
            given |= {"gear": self.number(0.5, 100), "q": (self.number(),), "v": self.maybe((self.number(),), ())}
            stops = {"limits": (low, high)}
        if kind == "ball":
            given |= {"q": self.maybe(self.quat(), ()), "v": self.numbers(3)}
            stops = {"cone": self.number(0.1, pi), "twist": (low, high), "axis": (self.number(), 1.0, self.number())}
        if stops and self.rng.random() < 0.7:
            given |= stops | {"restitution": self.number(0.01, 1.0)}
        given |= {"damping": self.number(0.01, 1), "friction": self.number(0.01, 1), "torque_limit": self.number(1, 9)}
        given |= {"locked": bool(self.rng.integers(2)), "actuated": bool(self.rng.integers(2))}
        return Joint(name, kind, parent, child, **{k: v for k, v in given.items() if k == "axis" or self.maybe(1, 0)})

    def expression(self) -> float | str:
        return self.maybe(self.number(), str(self.rng.choice(["2*sin(3*t)", "step(t - 1)", "t", "-1"])))

    def scene(self) -> Scene:
        names = ["a", "link.1", 'quo"te', "Ω w", "b" * 30]
        kinds = [str(k) for k in self.rng.permutation(["hinge", "slider", "ball", "fixed"])]
        bodies = [self.body(names[0], free=True), *(self.body(name, free=False) for name in names[1:])]
        joints = [
            self.joint(f"{kind} {i}", kind, str(self.rng.choice(names[: i + 1])), names[i + 1])
            for i, kind in enumerate(kinds)
        ]
        joints = [replace(j, restitution=0.0) if (j.limits, j.cone, j.twist) == (None,) * 3 else j for j in joints]
        joints = [
            j if j.cone or j.twist or j.kind in ("hinge", "slider") else replace(j, axis=(0.0, 0.0, 1.0))
            for j in joints
        ]
        widths = {"hinge": 1, "slider": 1, "ball": 3}
        inputs = [
            Input(f"on {j.name}", joint=j.name, torque=tuple(self.expression() for _ in range(widths[j.kind])))
            for j in joints
            if j.kind in widths
        ]
        three = [tuple(self.expression() for _ in range(3)) for _ in range(2)]
        inputs.append(Input("push", body="a", force=three[0], torque=self.maybe(three[1], ()), at=self.numbers(3)))
        inputs.append(Input("turn", body="a", torque=three[1]))
        paths = (
            CirclePath(self.number(0.1, 1), self.number(1, 9), self.maybe((0.0, 1.0, self.number()), (1.0, 0.0, 0.0))),
            LinePath(self.numbers(3), self.number(1, 9)),
            WaypointPath((self.numbers(3), self.numbers(3)), self.number(1, 9)),
            FormulaPath((self.expression(), self.expression(), self.expression())),
            None,
        )
        path = paths[int(self.rng.integers(len(paths)))]
        gains = {g.name: float(self.rng.uniform(g.low, g.high)) for g in CONTROLLERS["jacobian_transpose"].gains}
        held = {j.name: j.q for j in joints if j.q}
        return Scene(
            "random",
            'A title with "quotes", a \\ and a\nline\tbreak',
            summary=self.maybe("Über ∑ things.\x07", ""),
            group=self.maybe("Mine", "My files"),
            try_this=self.maybe(("Do this.", "Then 'that'."), ()),
            plots=self.maybe(("drift",), ()),
            gravity=self.maybe(self.numbers(3), (0.0, 0.0, -self.number(0.1, 9))),
            backend=self.maybe("pybullet", "impulse"),
            dt=self.number(1e-5, 0.1),
            integrator=self.maybe("ab4", None),
            solver=str(self.rng.choice(SOLVERS)),
            stabilise=str(self.rng.choice(STABILISATIONS)),
            bodies=tuple(bodies),
            joints=tuple(joints),
            frames=(Frame("tool", "a", self.pose()), Frame("base", "world")),
            targets=(Target("goal", self.numbers(3), "tool", path, self.pose().rotation),),
            controllers=(
                ControllerSpec("reach", "jacobian_transpose", bool(self.rng.integers(2)), gains, "goal"),
                ControllerSpec("hold", "joint_pd", joint_target=held),
                ControllerSpec("push", "torque", torque={i.joint: i.torque for i in inputs if i.joint}),
            ),
            inputs=tuple(inputs),
            base_shapes=tuple(self.shape() for _ in range(self.rng.integers(3))),
            camera=CameraSpec(*self.numbers(2, 0.1, 1.5), self.maybe(self.number(0.1, 9), None), self.numbers(3)),
        )


@pytest.mark.parametrize("seed", range(60))
def test_random_scenes_come_back_to_the_bit(seed: int) -> None:
    scene = Chance(seed).scene()
    assert bits(read_back(scene)) == bits(scene)


def test_the_random_scenes_leave_no_field_at_its_default() -> None:
    """Otherwise the test above would not notice a field that the writer forgets."""
    scenes = [Chance(seed).scene() for seed in range(60)]
    kinds = {
        Scene: scenes,
        Body: [b for s in scenes for b in s.bodies],
        Joint: [j for s in scenes for j in s.joints],
        Shape: [h for s in scenes for b in s.bodies for h in b.shapes],
        Frame: [f for s in scenes for f in s.frames],
        Target: [t for s in scenes for t in s.targets],
        CirclePath: [t.path for s in scenes for t in s.targets if isinstance(t.path, CirclePath)],
        ControllerSpec: [c for s in scenes for c in s.controllers],
        Input: [i for s in scenes for i in s.inputs],
        CameraSpec: [s.camera for s in scenes],
    }
    for kind, things in kinds.items():
        for field in fields(kind):
            usual = field.default_factory() if field.default_factory is not MISSING else field.default
            if (
                usual is not MISSING
                and field.name not in ("variant", "variants")
                and (kind, field.name) != (Scene, "path")
            ):
                assert any(getattr(thing, field.name) != usual for thing in things), f"{kind.__name__}.{field.name}"


def test_what_is_understood_anyway_is_not_written() -> None:
    ball = Shape("sphere", (0.5,))
    solid = mass_properties((ball,))
    body = Body("ball", 2.0, (0.0, 0.0, 0.0), solid.scaled(2.0).six(), (ball,))
    text = scene_text(Scene("x", "Ball", bodies=(body,)))
    assert text == 'title = "Ball"\n\n[body.ball]\nmass = 2\nshape = { sphere = 0.5 }\n'


def test_a_scene_that_makes_no_sense_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    with pytest.raises(SceneError, match="mass is -1 kg"):
        write_scene(replace(load("free_body"), bodies=(replace(load("free_body").bodies[0], mass=-1.0),)), path)
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"
    write_scene(load("free_body"), path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write_scene(load("hinge_chain"), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["mine.toml"]


class TestFilesThatAreThere:
    def own(self, folder: Path, text: str | None = None) -> Path:
        path = folder / "mine.toml"
        path.write_text(text or (FOLDER / "arm.toml").read_text(encoding="utf-8"), encoding="utf-8")
        return path

    def test_an_unchanged_scene_leaves_the_file_as_it_is(self, tmp_path: Path) -> None:
        for name in ("arm", "machine"):
            path = self.own(tmp_path, (FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
            before = path.read_bytes()
            write_scene(read_scene(path), path)
            assert path.read_bytes() == before

    def test_comments_and_order_stay_where_one_number_changes(self, tmp_path: Path) -> None:
        text = (FOLDER / "arm.toml").read_text(encoding="utf-8")
        text = text.replace("damping = 0.5", "damping = 0.5 # measured on the bench")
        path = self.own(tmp_path, "# My arm\n\n" + text)
        scene = read_scene(path)
        changed = replace(scene, joints=(replace(scene.joints[0], damping=0.75), *scene.joints[1:]))

        write_scene(changed, path)

        assert bits(read_scene(path)) == bits(changed)
        assert path.read_text(encoding="utf-8") == "# My arm\n\n" + text.replace("damping = 0.5", "damping = 0.75")

    def test_new_keys_and_things_are_added_and_old_ones_removed(self, tmp_path: Path) -> None:
        path = self.own(tmp_path, "# My arm\n" + (FOLDER / "arm.toml").read_text(encoding="utf-8"))
        scene = read_scene(path)
        shoulder = replace(scene.joints[0], limits=None, friction=0.25)
        changed = replace(
            scene,
            gravity=(0.0, 0.0, -1.5),
            solver="dense",
            joints=(shoulder, scene.joints[1]),
            controllers=scene.controllers[1:],
            inputs=(Input("push", joint="shoulder", torque=("sin(t)",)),),
        )

        write_scene(changed, path)

        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
        assert bits(read_scene(path)) == bits(changed)
        assert text.startswith("# My arm\n")
        assert "from = [0, 0, 0], to = [0, 0, 0.5]" in text
        assert "limits" not in data["joint"]["shoulder"]
        assert data["input"] == {"push": {"joint": "shoulder", "torque": "sin(t)"}}
        assert list(data["controller"]) == ["hold"]

    def test_what_it_extends_its_chains_and_variants_stay(self, tmp_path: Path) -> None:
        path = self.own(tmp_path, 'extends = "long_chain" # ten metres\n[variant.moon]\ngravity = 1.62\n')
        scene = read_scene(path)
        joints = tuple(replace(j, damping=0.01) if j.name == "link7" else j for j in scene.joints)
        changed = replace(scene, title="Mine", joints=joints)

        write_scene(changed, path)

        text = path.read_text(encoding="utf-8")
        assert bits(read_scene(path)) == bits(changed)
        assert read_scene(path).variants == ("moon",)
        assert text.startswith('extends = "long_chain" # ten metres\n') and len(text) < 150

    @pytest.mark.parametrize(
        "text",
        [
            "body.a.mass = 1\nbody.a.shape.sphere = 0.1\njoint.j = { type = 'hinge', parent = 'world', child = 'a' }\n",
            "[body]\na = { mass = 1, shape = { sphere = 0.1 } }\n"
            "[joint]\nj.type = 'hinge'\nj.parent = 'world'\nj.child = 'a'\n",
            "[body.b]\nmass = 1\nshape = { sphere = 1 }\n[joint.j]\ntype = 'hinge'\nparent = 'world'\nchild = 'a'\n"
            "[body.a]\nmass = 1\n[body.a.shape]\nsphere = 0.1\n",
        ],
        ids=["dotted", "in braces", "out of order"],
    )
    def test_whatever_way_it_was_written(self, tmp_path: Path, text: str) -> None:
        path = self.own(tmp_path, f"# Mine\n{text}")
        scene = read_scene(path)
        changed = replace(
            scene,
            dt=0.002,
            bodies=(*scene.bodies[:-1], replace(scene.bodies[-1], shapes=(Shape("box", (1.0, 2.0, 3.0)),) * 2)),
            joints=(replace(scene.joints[0], damping=0.5),),
            frames=(Frame("tool", "a"),),
        )
        write_scene(changed, path)
        assert bits(read_scene(path)) == bits(changed)
        assert path.read_text(encoding="utf-8").startswith("# Mine\n")

    def test_a_density_gives_way_to_a_mass(self, tmp_path: Path) -> None:
        path = self.own(tmp_path, "[body.b] # a ball\ndensity = 1000\nshape = { sphere = 0.1 }\n")
        scene = read_scene(path)
        solid = mass_properties(scene.bodies[0].shapes).scaled(3.0)
        changed = replace(scene, bodies=(replace(scene.bodies[0], mass=3.0, inertia=solid.six()),))
        write_scene(changed, path)
        assert bits(read_scene(path)) == bits(changed)
        assert tomllib.loads(path.read_text(encoding="utf-8"))["body"]["b"] == {"mass": 3, "shape": {"sphere": 0.1}}
        assert "# a ball" in path.read_text(encoding="utf-8")

    def test_another_scene_replaces_the_file(self, tmp_path: Path) -> None:
        path = self.own(tmp_path)
        write_scene(load("ball_chain"), path)
        assert bits(read_scene(path)) == bits(load("ball_chain"))

    def test_what_was_no_scene_is_replaced(self, tmp_path: Path) -> None:
        path = self.own(tmp_path, "Dear reader,")
        write_scene(load("ball_chain"), path)
        assert bits(read_scene(path)) == bits(load("ball_chain"))

    def test_variants_are_never_lost(self, tmp_path: Path) -> None:
        path = self.own(tmp_path, (FOLDER / "machine.toml").read_text(encoding="utf-8"))
        before = path.read_bytes()
        for scene in (read_scene(path, "heavy"), load("ball_chain")):
            with pytest.raises(SceneError, match="has variants that would be lost; expected another name"):
                write_scene(scene, path)
            assert path.read_bytes() == before

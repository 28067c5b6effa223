"""Scene files: what is right is read as written, and files that extend others know where each line came from."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sim.backend import BACKENDS
from sim.check import COLORS, JOINT_KINDS
from sim.control import CONTROLLERS
from sim.expression import FUNCTIONS, LONGEST
from sim.files import builtin_names, load, read_scene, scene_path
from sim.files.chain_table import LONGEST_CHAIN
from sim.files.line_index import line_index
from sim.files.scene_file import KEYS
from sim.plots import PLOTS
from sim.scene import SHAPE_KINDS, SOLVERS, STABILISATIONS, Input, Joint, SceneError

GOOD = (Path(__file__).parent / "arm.toml").read_text(encoding="utf-8")


def complaint(path: Path | str) -> str:
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    return str(caught.value)


def test_the_unspoilt_scene_is_right(tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text(GOOD, encoding="utf-8")

    scene = read_scene(path)

    assert (scene.name, scene.title, scene.path) == ("good", "Test arm", str(path))
    assert [b.name for b in scene.bodies] == ["upper", "lower"]


def test_directories_and_missing_files_are_named(tmp_path: Path) -> None:
    assert complaint(tmp_path) == f"{tmp_path}:1: this is a directory; expected a scene file (.toml)"
    missing = tmp_path / "none.toml"
    assert complaint(missing) == f"{missing}:1: there is no such file; expected a scene file (.toml)"
    assert "not a regular file" in complaint("/dev/null")


def test_the_file_is_called_as_the_user_called_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.toml").write_text("[body.a]\nmass = -1\n")
    monkeypatch.chdir(tmp_path)

    assert complaint("bad.toml").startswith("bad.toml:1: ")
    assert complaint("./bad.toml").startswith("./bad.toml:1: ")


def test_files_of_other_systems_are_read(tmp_path: Path) -> None:
    """A byte order mark and line ends of Windows, without shifting the lines."""
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_scene(path).title == "Test arm"

    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("damping = 0.5", "damping = -1").replace("\n", "\r\n").encode())
    assert complaint(path).startswith(f"{path}:22: ")


class TestExtends:
    def write(self, folder: Path, name: str, text: str) -> Path:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_tables_merge_and_everything_else_replaces(self, tmp_path: Path) -> None:
        self.write(tmp_path, "base.toml", GOOD)
        path = self.write(
            tmp_path,
            "child.toml",
            'extends = "base.toml"\nplots = ["drift"]\n'
            "[joint.shoulder]\nq = 0.3\n"
            "[controller.reach.gains]\nkp = 500\n"
            "[body.upper]\nshape = { sphere = 0.2 }\n"
            "[body.lower]\nshapes = [{ sphere = 0.1 }]\n"
            "[body.third]\nmass = 1\nshape = { sphere = 0.1 }\n",
        )

        scene = read_scene(path)

        assert scene.name == "child"
        assert scene.plots == ("drift",)
        assert scene.joint("shoulder").q == (0.3,)
        assert scene.joint("shoulder").damping == 0.5
        assert scene.controllers[0].gains == {"kp": 500.0, "kd": 40.0}
        assert [s.kind for s in scene.body("upper").shapes] == ["sphere"]
        assert [b.name for b in scene.bodies] == ["upper", "lower", "third"]

    @pytest.mark.parametrize(
        ("spoil", "base_line", "child", "child_line", "part"),
        [
            ("damping = -1", 22, "", None, "damping is -1"),
            ("damping = 0.5", None, "[joint.shoulder]\ndamping = -2\n", 3, "damping is -2"),
            ("axis = [0, 0, 0]", 22, "[joint.shoulder]\ndamping = 1\n", None, "axis has length 0"),
            ("damping = 0.5", None, "[target.goal.path]\nperiod = 0\n", 3, "period is 0 s"),
            ("damping = 0.5", None, "[body.upper]\ndensity = -5\n", 3, "density is -5"),
            ("damping = 0.5", None, "[controller.reach]\n\ntype = 'pid'\n", 4, "no such controller type"),
        ],
    )
    def test_mistakes_are_laid_at_the_right_door(
        self, tmp_path: Path, spoil: str, base_line: int | None, child: str, child_line: int | None, part: str
    ) -> None:
        text = GOOD.replace("axis = [0, 1, 0]\n", "") if spoil.startswith("axis") else GOOD
        spoilt = text.replace("damping = 0.5", f"\n{spoil}" if spoil.startswith("axis") else spoil)
        base = self.write(tmp_path, "base.toml", spoilt)
        path = self.write(tmp_path, "child.toml", f'extends = "base.toml"\n{child}')

        sentence = complaint(path)

        expected = f"{base}:{base_line}: " if base_line else f"{path}:{child_line}: "
        assert sentence.startswith(expected), sentence
        assert part in sentence

    def test_a_builtin_scene_can_be_extended(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, "mine.toml", 'extends = "arm_reach"\ntitle = "Mine"\n[joint.yaw]\nq = 1\n')
        scene = read_scene(path)
        assert (scene.title, scene.joint("yaw").q) == ("Mine", (1.0,))
        assert scene.targets == load("arm_reach").targets

    def test_a_mistake_in_a_file_that_is_extended_twice_removed(self, tmp_path: Path) -> None:
        a = self.write(tmp_path, "a.toml", GOOD.replace("[-1.9, 1.9]", "[2, 1]"))
        self.write(tmp_path, "b.toml", 'extends = "a.toml"\n')
        c = self.write(tmp_path, "c.toml", '\nextends = "b.toml"\n')
        assert complaint(c).startswith(f"{a}:21: ")

    def test_rings_of_extending_files_are_refused(self, tmp_path: Path) -> None:
        a = self.write(tmp_path, "a.toml", '# one\nextends = "b.toml"\n')
        b = self.write(tmp_path, "b.toml", '# two\n\nextends = "a.toml"\n')
        assert complaint(a).startswith(f'{b}:3: extends leads back to "a.toml"')
        own = self.write(tmp_path, "own.toml", 'extends = "own.toml"\n')
        assert complaint(own).startswith(f'{own}:1: extends leads back to "own.toml"')

    def test_what_is_not_there_cannot_be_extended(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, "x.toml", 'title = "x"\nextends = "arm_reech"\n')
        assert complaint(path).startswith(f"{path}:2: ")
        assert complaint(path).endswith('did you mean "arm_reach"?')
        path = self.write(tmp_path, "x.toml", "extends = 5\n")
        assert complaint(path).startswith(f"{path}:1: extends is not a name")


def test_unknown_scene_names_get_a_suggestion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SceneError, match='There is no built-in scene "arm_reech"; did you mean "arm_reach"'):
        load("arm_reech")
    with pytest.raises(SceneError, match=r"nowhere/arm\.toml:1: there is no such file"):
        load("nowhere/arm.toml")


def test_rotations_and_capsules_are_laid_as_written(tmp_path: Path) -> None:
    path = tmp_path / "poses.toml"
    path.write_text(
        "[body.a]\nmass = 1\nposition = [1, 2, 3]\nrotation = [1.0004, 0, 0, 0]\n"
        "velocity = [1, 2, 3, 4, 5, 6]\n"
        "shapes = [\n"
        "  { capsule = 0.1, from = [1, 0, 0], to = [3, 0, 0] },\n"
        "  { cylinder = 0.1, from = [0, 0, 1], to = [0, 0, 0] },\n"
        "  { cylinder = [0.1, 1], position = [0, 1, 0], "
        "rotation = { axis = [0, 0, 2], angle = 1.5707963267948966 } },\n"
        "]\n"
        "[body.b]\nmass = 1\ninertia = [1, 2, 2.5, 0.1, 0.2, 0.3]\n"
        '[joint.j]\ntype = "ball"\nparent = "a"\nchild = "b"\nq = { axis = [1, 0, 0], angle = 3.141592653589793 }\n'
    )

    scene = read_scene(path)

    a, b = scene.bodies
    assert a.pose.position == (1, 2, 3)
    assert a.pose.rotation == (1, 0, 0, 0)
    assert a.velocity == (1, 2, 3, 4, 5, 6)
    assert b.inertia == (1, 2, 2.5, 0.1, 0.2, 0.3)
    capsule, cylinder, turned = a.shapes
    assert (capsule.size, capsule.pose.position) == ((0.1, 2.0), (2, 0, 0))
    assert capsule.pose.rotation == pytest.approx((0.5**0.5, 0, 0.5**0.5, 0))
    assert cylinder.pose.rotation == (0, 1, 0, 0)
    assert turned.pose.rotation == pytest.approx((0.5**0.5, 0, 0, 0.5**0.5))
    assert scene.joint("j").q == pytest.approx((0, 1, 0, 0), abs=1e-15)


def test_every_key_of_a_joint_and_an_input_is_read(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    path.write_text(
        'integrator = "gauss4"\nsolver = "dense"\nstabilise = "feedback"\n'
        "[body.a]\nmass = 1\nshape = { sphere = 1 }\n[body.b]\nmass = 1\nshape = { sphere = 1 }\n"
        '[joint.s]\ntype = "slider"\nparent = "world"\nchild = "a"\nfriction = 1\nrotor_inertia = 2\ngear = 3\n'
        "limits = [-4, 5]\nrestitution = 0.6\nlocked = true\ntorque_limit = 7\nactuated = false\n"
        '[joint.b]\ntype = "ball"\nparent = "a"\nchild = "b"\naxis = [1, 0, 0]\ncone = 0.8\ntwist = [-0.9, 1]\n'
        '[input.one]\njoint = "s"\nforce = "t"\n[input.two]\njoint = "b"\ntorque = [1, "2*t", 3]\n'
        '[input.three]\nbody = "b"\ntorque = [0, 0, "t"]\nforce = ["t", 0, 1]\nat = [1, 2, 3]\n',
        encoding="utf-8",
    )

    scene = read_scene(path)

    assert (scene.integrator, scene.solver, scene.stabilise) == ("gauss4", "dense", "feedback")
    assert scene.joints == (
        Joint(
            *("s", "slider", "world", "a"),
            friction=1,
            rotor_inertia=2,
            gear=3,
            limits=(-4, 5),
            restitution=0.6,
            locked=True,
            torque_limit=7,
            actuated=False,
        ),
        Joint("b", "ball", "a", "b", axis=(1, 0, 0), cone=0.8, twist=(-0.9, 1)),
    )
    assert scene.inputs == (
        Input("one", joint="s", torque=("t",)),
        Input("two", joint="b", torque=(1, "2*t", 3)),
        Input("three", body="b", torque=(0, 0, "t"), force=("t", 0, 1), at=(1, 2, 3)),
    )


def test_lines_of_keys_however_they_are_written() -> None:
    text = (
        'a = """\n[not.a.table]\nx = 1 """" # ends with a quote\n'
        "b = [ # members\n  1,\n  { c = '#', d = [\n 2 ] },\n]\n"
        "[e.\"f.g\"] # quoted\nh.i = 1\n\"j\\u0020k\" = '''\n]'''\n"
        "[[l]]\nm = 1\n[[l]]\n[l.n]\no = 1979-05-27 07:32:00\n"
    )
    assert line_index(text) == {
        ("a",): 1,
        ("b",): 4,
        ("b", "0"): 5,
        ("b", "1"): 6,
        ("b", "1", "c"): 6,
        ("b", "1", "d"): 6,
        ("b", "1", "d", "0"): 7,
        ("e",): 9,
        ("e", "f.g"): 9,
        ("e", "f.g", "h"): 10,
        ("e", "f.g", "h", "i"): 10,
        ("e", "f.g", "j k"): 11,
        ("l",): 13,
        ("l", "0"): 13,
        ("l", "0", "m"): 14,
        ("l", "1"): 15,
        ("l", "1", "n"): 16,
        ("l", "1", "n", "o"): 17,
    }


@pytest.mark.parametrize("name", builtin_names())
def test_every_key_that_tomllib_finds_has_its_line(name: str) -> None:
    text = scene_path(name).read_text(encoding="utf-8")
    rows = text.split("\n")
    lines = line_index(text)

    def paths(value: object, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [path, *(below for key, member in members for below in paths(member, (*path, str(key))))]

    found = [path for path in paths(tomllib.loads(text), ()) if path]
    assert sorted(lines) == sorted(found)
    for path, line in lines.items():
        assert path[-1].isdigit() or path[-1] in rows[line - 1]


def test_the_documented_examples_work(tmp_path: Path) -> None:
    """Those that are only a part of a scene get the bodies they speak of."""
    text = (Path(__file__).parents[2] / "docs" / "scenes.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    ball = "mass = 1\nshape = { sphere = 1 }\n"
    crank = '[joint.crank]\ntype = "hinge"\nparent = "world"\nchild = "wheel"\n'
    parts = {"[input.motor]": f"[body.flag]\n{ball}[body.wheel]\n{ball}{crank}"}
    path = tmp_path / "example.toml"
    scenes = []
    for example in examples:
        path.write_text(parts.get(example.partition("\n")[0], "") + example, encoding="utf-8")
        scenes += [load(f"{path}{v}") for v in ("", *(f":{v}" for v in read_scene(path).variants))]

    assert [c.name for s in scenes for c in s.controllers] == ["gravity", "reach", "gravity", "reach"]
    assert [i.name for s in scenes for i in s.inputs] == ["motor", "gust"]
    assert [s.variant for s in scenes if s.variant] == ["a", "b", "c", "moon", "stiff"]
    assert [s.title for s in scenes if s.gravity == (0, 0, -1.62)] == ["Double pendulum on the moon"]
    assert max(len(s.bodies) for s in scenes) == 50


def test_the_documentation_names_every_key_plot_and_controller() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scenes.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_0-9]+", text))
    gains = {gain.name for kind in CONTROLLERS.values() for gain in kind.gains}
    assert words >= {*PLOTS, *BACKENDS, *CONTROLLERS, *gains, *SHAPE_KINDS, *COLORS, *JOINT_KINDS}
    assert words >= {*SOLVERS, *STABILISATIONS, *FUNCTIONS, str(LONGEST), str(LONGEST_CHAIN)}
    assert words >= {key for keys in KEYS.values() for key in keys}


def test_reading_scenes_compiles_nothing() -> None:
    """The window's first paint needs a scene and must not wait for numba."""
    code = "import sys; from sim.files import load; load('arm_reach'); sys.exit('numba' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_every_file_in_the_folder_is_in_the_gallery() -> None:
    files = {path.stem for path in scene_path("arm_reach").parent.glob("*.toml")}
    assert files == set(builtin_names())

"""Variants, changes from outside and chains: three ways to say much with few words, each laid over the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sim.files import builtin_names, load, parse_change, read_scene, split_variant
from sim.scene import SceneError

MACHINE = Path(__file__).parent / "machine.toml"
TEXT = MACHINE.read_text(encoding="utf-8")


def complaint(name: object, changes: dict[str, object] | None = None) -> str:
    with pytest.raises(SceneError) as caught:
        load(str(name), changes)
    return str(caught.value)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class TestVariants:
    def test_a_variant_is_the_file_with_its_changes(self) -> None:
        plain, heavy, free = load(MACHINE), load(f"{MACHINE}:heavy"), load(f"{MACHINE}:free")

        assert plain.variants == heavy.variants == free.variants == ("heavy", "free")
        assert (plain.variant, heavy.variant, free.variant) == ("", "heavy", "free")
        assert plain.name == heavy.name == free.name == "machine"
        assert (heavy.title, heavy.body("crank").mass, heavy.body("rod").mass) == ("Heavy machine", 10.0, 1.0)
        assert (free.title, free.gravity) == ("Test machine", (0, 0, 0))
        assert free.inputs == (replace(plain.inputs[0], torque=(5.0,)), *plain.inputs[1:])
        assert free.bodies == plain.bodies and free.joints == plain.joints

    def test_the_address_leads_back(self) -> None:
        for scene in (load(MACHINE), load(f"{MACHINE}:heavy"), load("double_pendulum:c")):
            assert load(scene.address) == scene

    def test_unknown_variants_are_refused_with_the_list(self) -> None:
        line = TEXT[: TEXT.index("[variant.heavy]")].count("\n") + 1
        assert (
            complaint(f"{MACHINE}:heavi")
            == f'{MACHINE}:{line}: the scene has no variant "heavi"; did you mean "heavy"?'
        )
        assert complaint(f"{MACHINE}:x").endswith('no variant "x"; expected heavy or free')
        assert complaint(f"{MACHINE}:").endswith('no variant ""; expected heavy or free')
        assert 'the scene has no variants; expected it without ":a"' in complaint("arm_reach:a")
        assert 'There is no built-in scene "arm_reech"' in complaint("arm_reech:a")
        assert "nowhere/x.toml:1: there is no such file" in complaint("nowhere/x.toml:a")

    @pytest.mark.parametrize(
        ("old", "new", "line", "part"),
        [
            ("mass = 10", "mass = -10", 89, 'body "crank": mass is -10 kg'),
            ("mass = 10", "maas = 10", 89, 'body "crank" has no key "maas"'),
            ("count = 6", "count = -6", 92, "count is -6"),
            ("[variant.heavy.body.crank]", "[variant.heavy.body.cank]", 88, '"inertia" is missing'),
            ("mass = 10", "shape = { box = [1, 1] }", 89, 'shape of body "crank": box has 2 numbers'),
            ("mass = 10", "density = 0", 89, "density is 0 kg/m³"),
        ],
    )
    def test_mistakes_of_a_variant_have_their_line(
        self, tmp_path: Path, old: str, new: str, line: int, part: str
    ) -> None:
        path = write(tmp_path, "m.toml", TEXT.replace(old, new))
        assert load(path).title == "Test machine"
        sentence = complaint(f"{path}:heavy")
        assert sentence.startswith(f"{path}:{line}: "), sentence
        assert part in sentence

    def test_a_file_inherits_and_refines_the_variants_of_what_it_extends(self, tmp_path: Path) -> None:
        write(tmp_path, "base.toml", TEXT)
        text = (
            'extends = "base.toml"\n[variant.heavy.body.crank]\ndensity = 1000\n[variant.light.body.rod]\nmass = 0.1\n'
        )
        path = write(tmp_path, "child.toml", text)

        assert load(path).variants == ("heavy", "free", "light")
        assert load(f"{path}:heavy").body("crank").mass == pytest.approx(1000 * 0.2 * 0.02 * 0.02)
        assert load(f"{path}:heavy").title == "Heavy machine"
        assert load(f"{path}:light").body("rod").mass == 0.1

    def test_a_variant_can_be_extended(self, tmp_path: Path) -> None:
        write(tmp_path, "base.toml", TEXT)
        path = write(tmp_path, "child.toml", 'extends = "base.toml:heavy"\ngravity = 1\n')
        scene = load(path)
        assert (scene.title, scene.variant, scene.gravity) == ("Heavy machine", "", (0, 0, -1))
        assert load(f"{path}:free").gravity == (0, 0, 0)

        path = write(tmp_path, "child.toml", '\nextends = "base.toml:haevy"\n')
        assert complaint(path) == f'{path}:2: extends: the scene has no variant "haevy"; did you mean "heavy"?'

    def test_every_variant_of_every_scene_can_be_loaded(self) -> None:
        for name in builtin_names():
            for variant in load(name).variants:
                assert load(f"{name}:{variant}").variant == variant

    def test_files_with_colons_are_files(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a:b.toml", TEXT)
        assert load(path).variant == ""
        assert load(f"{path}:heavy").variant == "heavy"
        assert split_variant(r"C:\scenes\arm.toml") == (r"C:\scenes\arm.toml", None)
        assert split_variant("C:/scenes/arm.toml:b") == ("C:/scenes/arm.toml", "b")


class TestChanges:
    def test_values_are_set_by_their_paths(self) -> None:
        changes = {
            "gravity": 3.7,
            "joint.shaft.damping": 0.2,
            "joint.bore.limits": [-1, 1],
            "body.crank.density": 500,
            "body.rod.shape.box.0": 0.5,
            "body.link3.mass": 7,
            "input.drive.torque": "t",
            "input.new": {"joint": "shaft", "torque": 1},
            "controller.pd.type": "joint_pd",
            "controller.pd.gains.kp": 50,
            "plots": ("energy",),
        }
        plain, scene = load(MACHINE), load(MACHINE, changes)

        assert scene.gravity == (0, 0, -3.7)
        assert scene.joint("shaft") == replace(plain.joint("shaft"), damping=0.2)
        assert scene.joint("bore").limits == (-1, 1)
        assert scene.body("crank").mass == pytest.approx(500 * 0.2 * 0.02 * 0.02)
        assert scene.body("rod").shapes[0].size == (0.5, 0.02, 0.02)
        assert [scene.body(f"link{i}").mass for i in (1, 2, 3, 4)] == [0.1, 0.1, 7, 0.1]
        assert [i.torque for i in scene.inputs] == [("t",), (), (-1,), (1,)]
        assert [(c.kind, c.gains) for c in scene.controllers] == [("joint_pd", {"kp": 50})]
        assert scene.plots == ("energy",)
        assert (scene.path, scene.variant) == (plain.path, "")

    def test_links_of_a_chain_share_nothing(self) -> None:
        scene = load(MACHINE, {"body.link2.shape.color": "#123456"})
        assert [scene.body(f"link{i}").shapes[0].color for i in (1, 2, 3)] == ["link", "#123456", "link"]

    def test_they_come_after_the_variant_and_before_the_chain(self) -> None:
        assert load(f"{MACHINE}:heavy", {"body.crank.mass": 3, "gravity": 0}).body("crank").mass == 3
        assert len(load(f"{MACHINE}:heavy", {"chain.link.count": 9}).bodies) == 3 + 9

    @pytest.mark.parametrize(
        ("path", "value", "sentence"),
        [
            ("joint.shaft.dampng", 1, 'joint "shaft" has no key "dampng"; did you mean "damping"?'),
            ("joint.shaft.damping", -1, 'joint "shaft": damping is -1; expected 0 or more'),
            ("joint.shaft.damping", "x", 'joint "shaft": damping is the text "x"; expected a number'),
            ("joint.shft.damping", 1, 'there is no joint "shft"; did you mean "shaft"?'),
            ("chain.lin.count", 1, 'there is no chain "lin"; did you mean "link"?'),
            ("chain.link.count", 0, 'chain "link": count is 0; expected a whole number from 1 to 1000'),
            ("body.link5.mass", 1, 'there is no body "link5"; did you mean "link4"?'),
            ("gravty", 1, 'the scene has no key "gravty"; did you mean "gravity"?'),
            ("title.short", "x", 'title is the text "Test machine", which has no parts; expected a shorter path'),
            ("input.push.force.3", 1, 'force has no member "3"; expected 0 to 2'),
            ("input.push.force.1", "2*x", 'input "push": force contains "x"; expected numbers, t, pi'),
            ("input.new.torque", 1, 'input "new": "joint" or "body" is missing'),
            ("variant.heavy.dt", 1, "variant cannot be changed from outside"),
            ("extends", "arm_reach", "extends cannot be changed from outside"),
        ],
    )
    def test_the_path_is_the_place_of_a_mistake(self, path: str, value: object, sentence: str) -> None:
        assert complaint(MACHINE, {path: value}).startswith(f"{path}: {sentence}")

    def test_mistakes_elsewhere_keep_their_line(self) -> None:
        assert complaint(MACHINE, {"joint.pin.type": "hinge"}).startswith(f"{MACHINE}:32: ")

    def test_names_with_dots_are_quoted(self, tmp_path: Path) -> None:
        path = write(tmp_path, "dots.toml", '[body."a.b"]\nmass = 1\nshape = { sphere = 1 }\n')
        assert load(path, {'body."a.b".mass': 2}).bodies[0].mass == 2
        assert "is not the path of a key" in complaint(path, {"body..mass": 2})

    @pytest.mark.parametrize(
        ("text", "path", "value"),
        [
            ("joint.elbow.damping=0.2", "joint.elbow.damping", 0.2),
            ("dt = 1e-4", "dt", 1e-4),
            ("controller.reach.enabled=false", "controller.reach.enabled", False),
            ("gravity=[0, 0, -1]", "gravity", [0, 0, -1]),
            ("body.b.shape={ sphere = 0.1 }", "body.b.shape", {"sphere": 0.1}),
            ("backend=pybullet", "backend", "pybullet"),
            ('backend="pybullet"', "backend", "pybullet"),
            ("input.push.torque=2*sin(3*t)", "input.push.torque", "2*sin(3*t)"),
            ("title=A = b", "title", "A = b"),
            ('body."a=b".mass=1', 'body."a=b".mass', 1),
        ],
    )
    def test_changes_are_read_as_people_type_them(self, text: str, path: str, value: object) -> None:
        assert parse_change(text) == (path, value)

    @pytest.mark.parametrize(
        "text",
        ["", "gravity", "=1", "gravity=", "a.=1", "gravity=[0, 0", 'title="open', "a b=1", "dt=1\nb=2", "a={b=1"],
    )
    def test_what_is_no_change_is_refused(self, text: str) -> None:
        with pytest.raises(SceneError, match="expected one"):
            parse_change(text)


class TestChains:
    def test_links_hang_from_each_other_and_take_turns(self) -> None:
        scene = load(MACHINE)
        joints = [scene.joint(f"link{i}") for i in (1, 2, 3, 4)]

        assert [j.parent for j in joints] == ["piston", "link1", "link2", "link3"]
        assert [j.child for j in joints] == ["link1", "link2", "link3", "link4"]
        assert [j.axis for j in joints] == [(0, 1, 0), (1, 0, 0)] * 2
        assert [j.at.position[0] for j in joints] == [0.2, 0.1, 0.1, 0.1]
        assert {scene.body(j.child).mass for j in joints} == {0.1}
        assert [b.name for b in scene.bodies] == ["link1", "link2", "link3", "link4", "crank", "rod", "piston"]

    def test_the_long_form_is_the_same_scene(self, tmp_path: Path) -> None:
        short = "[chain.c]\ncount = 3\nbody = { density = 1, shape = { sphere = 1 } }\njoint = { type = 'ball' }\n"
        long = "".join(
            f"[body.c{i}]\ndensity = 1\nshape = {{ sphere = 1 }}\n"
            f"[joint.c{i}]\ntype = 'ball'\nparent = '{'world' if i == 1 else f'c{i - 1}'}'\nchild = 'c{i}'\n"
            for i in (1, 2, 3)
        )
        a, b = read_scene(write(tmp_path, "a.toml", short)), read_scene(write(tmp_path, "b.toml", long))
        assert (a.bodies, a.joints) == (b.bodies, b.joints)

    def test_chains_do_not_share_names(self, tmp_path: Path) -> None:
        one = "count = 11\nbody = { mass = 1, shape = { sphere = 1 } }\njoint = { type = 'ball' }\n"
        path = write(tmp_path, "a.toml", f"[chain.a]\n{one}[chain.a1]\n{one}")
        assert complaint(path) == f'{path}:5: chain "a1": another chain has a link "a11" already; expected another name'

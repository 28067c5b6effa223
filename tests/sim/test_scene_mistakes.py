"""Planted mistakes: each is found with its file and line, in one sentence that says what was expected."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from sim.files import read_scene
from sim.files.scene_file import parse_scene
from sim.scene import SceneError

GOOD = (Path(__file__).parent / "arm.toml").read_text(encoding="utf-8")
MACHINE = (Path(__file__).parent / "machine.toml").read_text(encoding="utf-8")

# what is written -> what is written instead, the line of the mistake, and a part of the sentence
MISTAKES = {
    "unknown top-level key": ("dt = 0.001", "step = 0.001", 4, 'the scene has no key "step"'),
    "misspelt top-level key": ('title = "Test arm"', 'titel = "Test arm"', 1, 'did you mean "title"?'),
    "misspelt table": ("[camera]", "[camra]", 48, 'has no key "camra"; did you mean "camera"?'),
    "table instead of text": ('title = "Test arm"', "title = { de = 1 }", 1, "title is a table; expected text"),
    "key under the wrong header": ("[camera]\n", "camera.lens = 5\n", 48, 'controller "hold" has no key "camera"'),
    "text instead of table": ('title = "Test arm"', 'joint = "none"', 16, "clashes with a key further up"),
    "key twice in braces": ("kp = 300, kd", "kp = 300, kp", 42, 'the key "kp" is given twice'),
    "negative gravity": ("gravity = 9.81", "gravity = -9.81", 2, "expected how strong it is downwards"),
    "gravity of two numbers": ("gravity = 9.81", "gravity = [0, 9.81]", 2, "gravity has 2 numbers; expected 3"),
    "unknown plot": ('"torque"]', '"torqe"]', 3, 'plots names "torqe"'),
    "plots not a list": ('["energy", "torque"]', '"energy"', 3, "expected a list of texts"),
    "step of nothing": ("dt = 0.001", "dt = 0", 4, "dt is 0 s; expected a step above 0 and at most 0.1"),
    "step too long": ("dt = 0.001", "dt = 0.2", 4, "dt is 0.2 s"),
    "step is true": ("dt = 0.001", "dt = true", 4, "dt is true; expected a number"),
    "unknown engine": ('"impulse"', '"impuls"', 5, 'no such engine; did you mean "impulse"?'),
    "misspelt key of a body": ("mass = 2\n", "maas = 2\n", 8, 'body "upper" has no key "maas"; did you mean "mass"?'),
    "negative mass": ("mass = 2\n", "mass = -2\n", 8, 'body "upper": mass is -2 kg; expected a number above 0'),
    "no mass at all": ("mass = 2\n", "mass = 0\n", 8, "mass is 0 kg; expected a number above 0"),
    "mass is nan": ("mass = 2\n", "mass = nan\n", 8, "mass is nan; expected a finite number"),
    "mass is infinite": ("mass = 2\n", "mass = inf\n", 8, "mass is inf; expected a finite number"),
    "mass of 400 digits": ("mass = 2\n", f"mass = 1{'0' * 400}\n", 8, "mass is inf; expected a finite number"),
    "mass is text": ("mass = 2\n", 'mass = "heavy"\n', 8, 'mass is the text "heavy"; expected a number'),
    "mass is missing": ("mass = 2\n", "", 7, '"mass" is missing; expected a number, or a density'),
    "mass and density": ("mass = 2\n", "mass = 2\ndensity = 7800\n", 9, "mass and density are both given"),
    "negative density": ("mass = 2\n", "density = -1\n", 8, "density is -1 kg/m³; expected a number above 0"),
    "density of nothing": ("mass = 1.2\n", "density = 1000\n", 12, "density needs shapes to fill"),
    "unknown shape": ("{ capsule", "{ capsul", 9, 'shape of body "upper" has no key "capsul"; did you mean "capsule"?'),
    "shape without kind": ("{ capsule = 0.05, from", "{ from", 9, "its kind is missing; expected one of box, sphere"),
    "two kinds": ("{ capsule = 0.05,", "{ capsule = 0.05, box = [1, 1, 1],", 9, "box and capsule are given together"),
    "radius below zero": ("capsule = 0.05", "capsule = -0.05", 9, "capsule is -0.05 m; expected a number above 0"),
    "size of zero": ("sphere = 0.1", "sphere = 0", 54, "shape 2 of the world: sphere is 0 m"),
    "box of two numbers": ("box = [0.1, 0.1, 0.1]", "box = [0.1, 0.1]", 53, "shape 1 of the world: box has 2 numbers"),
    "capsule of one number": (", from = [0, 0, 0], to = [0, 0, 0.5]", "", 9, "expected [radius, length], or a radius"),
    "from without to": (", to = [0, 0, 0.5]", "", 9, '"to" is missing; expected a list of 3 numbers'),
    "capsule of no length": ("to = [0, 0, 0.5]", "to = [0, 0, 0]", 9, "from and to are the same point"),
    "from beside position": (
        "to = [0, 0, 0.5]",
        "to = [0, 0, 1], position = [0, 0, 0]",
        9,
        "beside from and to",
    ),
    "shape far too large": ("sphere = 0.1", "sphere = 1e8", 54, "expected 1e-06 to 1e+06 m"),
    "unknown colour": ('color = "link"', 'color = "blue"', 9, 'color is "blue"; expected link, link2, base or #rrggbb'),
    "shape and shapes": ("mass = 2\n", "mass = 2\nshapes = []\n", 10, "shape and shapes are both given"),
    "shapes not a list": (
        "mass = 1.2\n",
        "mass = 1.2\nshapes = { sphere = 1 }\n",
        13,
        "expected a list of tables",
    ),
    "no inertia": ("inertia = [0.02, 0.02, 0.01]\n", "", 11, '"inertia" is missing; expected 3 or 6 numbers'),
    "inertia of two": ("[0.02, 0.02, 0.01]", "[0.02, 0.02]", 13, "expected 3 numbers (xx yy zz) or 6"),
    "inertia below zero": ("[0.02, 0.02, 0.01]", "[0.02, 0.02, -0.01]", 13, "expected none below 0"),
    "inertia not definite": ("[0.02, 0.02, 0.01]", "[1, 1, 1, 2, 0, 0]", 13, "expected none below 0"),
    "triangle inequality": (
        "[0.02, 0.02, 0.01]",
        "[0.02, 0.02, 0.05]",
        13,
        "expected none above the sum",
    ),
    "centre without inertia": ("mass = 2\n", "mass = 2\ncenter = [0, 0, 1]\n", 9, "center is given without inertia"),
    "centre of two": ("center = [0, 0, 0.2]", "center = [0, 0.2]", 14, "center has 2 numbers; expected 3"),
    "text in a vector": ("center = [0, 0, 0.2]", 'center = [0,\n  0,\n  "a"]', 16, 'center contains the text "a"'),
    "body placed by a joint": ("mass = 1.2", "mass = 1.2\nposition = [0, 0, 1]", 13, 'joint "elbow" places this one'),
    "velocity of a jointed body": (
        "mass = 2\n",
        "mass = 2\nvelocity = [1, 0, 0, 0, 0, 0]\n",
        9,
        "is only for free",
    ),
    "velocity of three": ("mass = 2\n", "mass = 2\nvelocity = [1, 0, 0]\n", 9, "velocity has 3 numbers; expected 6"),
    "body named world": ("[body.lower]", "[body.world]", 11, 'body "world" has the name of the world'),
    "body is a number": ("[body.upper]", "body.third = 3\n[body.upper]", 7, 'body "third" is 3; expected a table'),
    "unknown joint type": ('type = "hinge"', 'type = "hinje"', 17, 'no such joint type; did you mean "hinge"?'),
    "free joint": ('type = "ball"', 'type = "free"', 25, "since a body without one is free"),
    "joint without type": ('type = "hinge"\n', "", 16, 'joint "shoulder": "type" is missing'),
    "joint without child": ('child = "upper"\n', "", 16, '"child" is missing; expected the name of a body'),
    "unknown parent": ('parent = "upper"', 'parent = "uper"', 26, 'no such body; did you mean "upper"?'),
    "unknown child": ('child = "lower"', 'child = "hand"', 27, "expected upper or lower"),
    "world as child": ('child = "upper"', 'child = "world"', 19, "which cannot move"),
    "joint to itself": ('child = "lower"', 'child = "upper"', 27, 'child and parent are both "upper"'),
    "zero axis": ("axis = [0, 1, 0]", "axis = [0, 0, 0]", 20, "axis has length 0; expected a direction"),
    "axis of a ball": (
        'type = "ball"',
        'type = "ball"\naxis = [0, 1, 0]',
        26,
        "axis is only for hinges, sliders and balls",
    ),
    "limits the wrong way round": ("[-1.9, 1.9]", "[1.9, -1.9]", 21, "expected the lower one first"),
    "limits of one": ("[-1.9, 1.9]", "[1.9]", 21, "limits has 1 number; expected 2"),
    "limits of a ball": (
        'type = "ball"',
        'type = "ball"\nlimits = [0, 1]',
        26,
        "expected limits only on hinges and sliders",
    ),
    "negative damping": ("damping = 0.5", "damping = -0.5", 22, "damping is -0.5; expected 0 or more"),
    "no torque allowed": ("damping = 0.5", "torque_limit = 0", 22, "torque_limit is 0; expected a number above 0"),
    "actuated is a number": ("damping = 0.5", "actuated = 1", 22, "actuated is 1; expected true or false"),
    "start angle of a ball": ('type = "ball"', 'type = "ball"\nq = 0.5', 26, "q has 1 number; expected 4"),
    "start speed of a hinge": ("damping = 0.5", "v = [1, 2]", 22, "v has 2 numbers; expected 1"),
    "start angle is text": ("damping = 0.5", 'q = "up"', 22, 'q is the text "up"; expected a number'),
    "long quaternion": ("rotation = [1, 0, 0, 0]", "rotation = [1, 1, 0, 0]", 29, "quaternion of length 1.41421"),
    "zero quaternion": ("rotation = [1, 0, 0, 0]", "rotation = [0, 0, 0, 0]", 29, "quaternion of length 0"),
    "roll pitch yaw": ("rotation = [1, 0, 0, 0]", "rotation = [0, 0, 1]", 29, "rotation has 3 numbers; expected 4"),
    "rotation of text": ("rotation = [1, 0, 0, 0]", 'rotation = "x"', 29, "expected [w, x, y, z] or { axis"),
    "turn about nothing": (
        "[1, 0, 0, 0]",
        "{ axis = [0, 0, 0], angle = 1 }",
        29,
        'rotation of joint "elbow": axis',
    ),
    "turn without angle": ("[1, 0, 0, 0]", "{ axis = [0, 0, 1] }", 29, '"angle" is missing; expected a number'),
    "frame on nothing": ('body = "lower"', 'body = "hand"', 32, 'frame "tool": body names "hand"'),
    "frame without body": ('body = "lower"', "", 31, 'frame "tool": "body" is missing'),
    "unknown frame": ('frame = "tool"', 'frame = "tol"', 36, 'no such frame; did you mean "tool"?'),
    "target without place": ("position = [0.5, 0, 0.5]", "", 34, '"position" is missing; expected a list of 3 numbers'),
    "circle of nothing": ("circle = 0.1", "circle = 0", 37, 'path of target "goal": circle is 0 m'),
    "circle without period": (", period = 6", "", 37, '"period" is missing'),
    "square path": ("circle = 0.1", "square = 0.1", 37, 'path of target "goal" has no key "square"'),
    "unknown controller": ('"joint_pd"', '"joint_pid"', 45, 'no such controller type; did you mean "joint_pd"?'),
    "unknown target": ('target = "goal"', 'target = "gaol"', 41, 'no such target; did you mean "goal"?'),
    "target missing": ('target = "goal"\n', "", 39, '"target" is missing; expected the name of a target'),
    "unknown gain": ("kd = 40", "ki = 40", 42, 'jacobian_transpose has no gain "ki"'),
    "gain out of range": ("kp = 300", "kp = -300", 42, "kp is -300; expected 0 to 3000 N/m"),
    "gain is text": ("kp = 300", 'kp = "high"', 42, 'gains of controller "reach": kp is the text "high"'),
    "target of an unknown joint": ("{ shoulder = 0.5 }", "{ sholder = 0.5 }", 46, 'did you mean "shoulder"?'),
    "target angle of a ball": ("{ shoulder = 0.5 }", "{ elbow = 0.5 }", 46, "elbow has 1 number; expected 4"),
    "camera inside": ("distance = 2", "distance = 0", 49, "the camera: distance is 0 m"),
    "camera over the top": ("distance = 2", "elevation = 90", 49, "expected radians from -π/2 to π/2"),
    "camera key": ("distance = 2", "distnace = 2", 49, 'the camera has no key "distnace"; did you mean "distance"?'),
    "duplicate key": ("mass = 2\n", "mass = 2\nmass = 3\n", 9, 'the key "mass" is given twice'),
    "duplicate table": ("[frame.tool]", "[body.upper]", 31, "the table [body.upper] is given twice"),
    "no value": ("mass = 2\n", "mass =\n", 8, "this is not valid TOML: invalid value"),
    "no equals sign": ("mass = 2\n", "mass 2\n", 8, "this is not valid TOML: expected '='"),
    "open bracket at the end": ("    { sphere = 0.1 },\n]\n", "    { sphere = 0.1 },\n", 54, "this is not valid TOML"),
}


def complaint(path: Path | str) -> str:
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    return str(caught.value)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found_with_its_line(mistake: str, tmp_path: Path) -> None:
    old, new, line, part = MISTAKES[mistake]
    assert GOOD.count(old) >= 1
    path = tmp_path / "scene.toml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")

    sentence = complaint(path)

    assert sentence.startswith(f"{path}:{line}: "), sentence
    assert part in sentence
    assert "\n" not in sentence


MACHINE_MISTAKES = {
    "unknown solver": ('"dense"', '"dence"', 2, 'no such solver; did you mean "dense"?'),
    "unknown stabilisation": ('"feedback"', '"glue"', 3, "expected rattle or feedback"),
    "negative friction": ("friction = 0.1", "friction = -0.1", 24, "friction is -0.1; expected 0 or more"),
    "friction is text": ("friction = 0.1", 'friction = "little"', 24, 'friction is the text "little"'),
    "negative rotor": ("rotor_inertia = 1e-5", "rotor_inertia = -1", 22, "rotor_inertia is -1; expected 0 or more"),
    "no gear": ("gear = 100", "gear = 0", 23, "gear is 0; expected a number above 0"),
    "rotor of a ball": ("cone = 1.5", "rotor_inertia = 1", 32, "expected rotor_inertia only on hinges and sliders"),
    "gear of a ball": ("cone = 1.5", "gear = 2", 32, "this is a ball joint; expected gear only on hinges"),
    "cone of a hinge": ("gear = 100", "cone = 1", 23, "this is a hinge joint; expected cone only on balls"),
    "twist of a hinge": ("gear = 100", "twist = [0, 1]", 23, "expected twist only on balls"),
    "cone of nothing": ("cone = 1.5", "cone = 0", 32, "cone is 0; expected radians from 0.001 to π"),
    "cone in degrees": ("cone = 1.5", "cone = 85", 32, "cone is 85"),
    "twist the wrong way round": ("[-1, 1]", "[1, -1]", 33, "twist has 1 before -1; expected the lower one first"),
    "twist in degrees": ("[-1, 1]", "[-90, 90]", 33, "expected radians from -π to π"),
    "twist of one": ("[-1, 1]", "[1]", 33, "twist has 1 number; expected 2"),
    "axis of a ball without stops": ("cone = 1.5\ntwist = [-1, 1]\nrestitution = 0.5", "", 31, "with a cone or twist"),
    "too bouncy": ("restitution = 0.5", "restitution = 2", 34, "restitution is 2; expected 0 to 1"),
    "bouncing off nothing": ("friction = 0.1", "restitution = 0.5", 24, "expected limits, cone or twist"),
    "locked is a number": ("locked = false", "locked = 0", 51, "locked is 0; expected true or false"),
    "chain without count": ("count = 4\n", "", 54, 'chain "link": "count" is missing; expected how many'),
    "chain of none": ("count = 4", "count = 0", 55, "count is 0; expected a whole number from 1 to"),
    "chain of half a link": ("count = 4", "count = 2.5", 55, "count is 2.5; expected a whole number"),
    "chain of too many": ("count = 4", "count = 1000000", 55, "expected a whole number from 1 to"),
    "misspelt key of a chain": ("count = 4", "cuont = 4", 55, 'chain "link" has no key "cuont"; did you mean "count"?'),
    "chain on nothing": ('parent = "piston"\nbody', 'parent = "pisten"\nbody', 56, 'did you mean "piston"?'),
    "body of a chain": ("mass = 0.1,", "maas = 0.1,", 57, 'body "link1" has no key "maas"; did you mean "mass"?'),
    "mass of a chain": ("mass = 0.1,", "mass = -0.1,", 57, 'body "link1": mass is -0.1 kg'),
    "shape of a chain": ("sphere = 0.05", "spere = 0.05", 57, 'shape of body "link1" has no key "spere"'),
    "chain without joint": ("[[chain.link.joint]]", "[[chain.link.joints]]", 59, 'chain "link" has no key "joints"'),
    "second joint of a chain": ("axis = [1, 0, 0]\n\n[joint.link1]", "axis = [0, 0, 0]\n[joint.link1]", 67, '"link2"'),
    "chain that says its child": (
        "axis = [1, 0, 0]\n\n[joint.link1]",
        'child = "a"\n\n[joint.link1]',
        67,
        "child is given, but the chain itself connects",
    ),
    "single link of a chain": (
        "position = [0.2, 0, 0]\n\n[input",
        "positon = [0, 0]\n\n[input",
        70,
        '"link1" has no key',
    ),
    "link beyond the chain": ("[joint.link1]", "[joint.link9]", 69, 'joint "link9": "type" is missing'),
    "input without joint": ('joint = "shaft"\n', "", 72, '"joint" or "body" is missing'),
    "input of two things": ('joint = "shaft"', 'joint = "shaft"\nbody = "rod"', 72, "joint and body are both given"),
    "input of an unknown joint": ('joint = "shaft"', 'joint = "shft"', 73, 'did you mean "shaft"?'),
    "input of an unknown body": ('body = "piston"\nforce', 'body = "pston"\nforce', 77, 'did you mean "piston"?'),
    "input without torque": ('torque = "2*sin(3*t)"\n', "", 72, '"torque" is missing; expected a number or a function'),
    "input without force": ('force = [0, 0, "10*step(t - 1)"]\n', "", 76, '"force" is missing; expected 3 numbers'),
    "force of a hinge": ("torque = ", "force = ", 74, 'joint "shaft" is a hinge; expected a torque'),
    "torque of a slider": ("force = -1", "torque = -1", 83, 'joint "bore" is a slider; expected a force'),
    "point of a joint": ("force = -1", "force = -1\nat = [0, 0, 0]", 84, "at is where a force on a body acts"),
    "torque is true": ('"2*sin(3*t)"', "true", 74, "torque is true; expected a number or a function of t"),
    "torque is nan": ('"2*sin(3*t)"', "nan", 74, "torque is nan; expected a finite number"),
    "force of two": ("[0, 0, ", "[0, ", 78, "force has 2 numbers; expected 3"),
    "force of one": ('[0, 0, "10*step(t - 1)"]', '"t"', 78, "expected a list of 3 numbers or functions of t"),
    "a program": (
        "2*sin(3*t)",
        "__import__('os')",
        74,
        'input "drive": torque contains "__import__"; expected numbers',
    ),
    "unknown function": ("2*sin(3*t)", "2*sinus(3*t)", 74, 'contains "sinus"; did you mean "sin"?'),
    "unknown variable": ("2*sin(3*t)", "2*sin(3*x)", 74, 'torque contains "x"; expected numbers, t, pi'),
    "power with a hat": ("2*sin(3*t)", "t^2", 74, 'torque contains "^"; expected ** for powers'),
    "open bracket in a formula": ("2*sin(3*t)", "2*sin(3*t", 74, "which is no formula"),
    "formula in a list": ("10*step(t - 1)", "10*stepp(t - 1)", 78, 'force contains "stepp"; did you mean "step"?'),
    "empty formula": ("2*sin(3*t)", "", 74, "torque is empty"),
    "endless formula": ("2*sin(3*t)", "t" + "+t" * 300, 74, "torque has 601 characters; expected at most 500"),
    "misspelt key of a variant": ("gravity = 0", "gravty = 0", 95, 'variant "free" has no key "gravty"; did you mean'),
    "variant in a variant": ("gravity = 0", "variant.x.dt = 1", 95, 'variant "free" has no key "variant"'),
    "variant that extends": ("gravity = 0", 'extends = "arm_reach"', 95, 'variant "free" has no key "extends"'),
    "variant is a number": (
        "[variant.free]",
        "[variant]\nfree = 1\n[variant.none]",
        95,
        'variant "free" is 1; expected a table',
    ),
}


@pytest.mark.parametrize("mistake", MACHINE_MISTAKES)
def test_a_planted_mistake_in_the_machine_is_found_with_its_line(mistake: str, tmp_path: Path) -> None:
    old, new, line, part = MACHINE_MISTAKES[mistake]
    assert MACHINE.count(old) >= 1
    path = tmp_path / "scene.toml"
    path.write_text(MACHINE.replace(old, new, 1), encoding="utf-8")

    sentence = complaint(path)

    assert sentence.startswith(f"{path}:{line}: "), sentence
    assert part in sentence
    assert "\n" not in sentence


FILES_THAT_ARE_NO_SCENES = {
    "empty": (b"", 1, "the file is empty"),
    "blank": (b"\n  \n", 1, "the file is empty"),
    "comments only": (b"# nothing\n\n# here\n", 1, "the scene has no body"),
    "no bodies": (b'title = "Void"\n', 1, "the scene has no body; expected at least one [body.NAME]"),
    "noise": (bytes(range(256)), 2, "this is not UTF-8 text"),
    "noise later": (b"title = 'a'\n\nplots = '\xff'\n", 3, "this is not UTF-8 text"),
    "zeros": (b"\0" * 64, 1, "this is not valid TOML"),
    "bodies in a list": (b"[[body]]\nmass = 1\n", 1, "body is a list; expected a table"),
    "prose": (b"Dear reader,\nhello\n", 1, "this is not valid TOML"),
    "deep": (b"plots = " + b"[" * 5000 + b"]" * 5000, 1, "nested too deeply"),
    "number without end": (b"\ndt = " + b"1" * 5000, 2, "thousands of digits"),
    "line break in a name": (b'[body."a\\nb"]\nmass = -1\n', 1, '"inertia" is missing'),
}


@pytest.mark.parametrize("kind", FILES_THAT_ARE_NO_SCENES)
def test_what_is_no_scene_is_said_to_be_none(kind: str, tmp_path: Path) -> None:
    content, line, part = FILES_THAT_ARE_NO_SCENES[kind]
    path = tmp_path / "scene.toml"
    path.write_bytes(content)

    sentence = complaint(path)

    assert sentence.startswith(f"{path}:{line}: "), sentence
    assert part in sentence
    assert "\n" not in sentence


def test_files_spoilt_at_random_are_scenes_or_get_a_sentence() -> None:
    """Lines lost, doubled, swapped, or with another value: nothing but SceneError, always with a line."""
    rng = random.Random(5)
    values = [
        "true",
        "-1",
        "nan",
        '"x"',
        "[]",
        "{}",
        "[1, 2, 3]",
        "1e400",
        '"t"',
        "[[]]",
        '"world"',
        "1979-05-27",
        "[{}]",
    ]
    refused = 0
    for _ in range(1500):
        lines = rng.choice([GOOD, MACHINE]).split("\n")
        i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(4):
            case 0:
                del lines[i]
            case 1:
                lines.insert(k, lines[i])
            case 2:
                lines[i], lines[k] = lines[k], lines[i]
            case _:
                lines[i] = f"{lines[i].partition('=')[0]}= {rng.choice(values)}"
        try:
            parse_scene("\n".join(lines), "spoilt.toml")
        except SceneError as error:
            refused += 1
            assert re.match(r"spoilt\.toml:\d+: \S", str(error)) and "\n" not in str(error)
    assert 500 < refused < 1450

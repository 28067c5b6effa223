"""A scene started from other coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.model import compile_model
from sim.scene import SceneError
from sim.start import with_start
from tests.mechanisms import four_bar
from tests.worlds import quaternion, random_tree


@pytest.mark.parametrize("floating", [False, True])
def test_the_model_starts_where_it_is_told(floating):
    """Every kind of joint; a free base comes first."""
    rng = np.random.default_rng(1)
    scene = random_tree(5, floating=floating)
    before = compile_model(scene)
    q, v = rng.normal(size=before.nq), rng.normal(size=before.nv)
    for j, name in enumerate(before.joint_names):
        width = before.joint_q[j + 1] - before.joint_q[j]
        if width >= 4:
            q[before.joint_q[j + 1] - 4 : before.joint_q[j + 1]] = quaternion(rng)
        assert width in (0, 1, 4, 7), name
    after = compile_model(with_start(scene, q.tolist(), v.tolist()))
    assert after.q0 == pytest.approx(q, abs=1e-15)
    assert after.v0.tolist() == v.tolist()


def test_what_is_not_given_stays():
    scene = random_tree(5, floating=True)
    model = compile_model(scene)
    assert with_start(scene) == scene
    assert compile_model(with_start(scene, v=[0.0] * model.nv)).q0.tobytes() == model.q0.tobytes()
    assert compile_model(with_start(scene, q=model.q0.tolist())).v0.tobytes() == model.v0.tobytes()


def test_a_wrong_number_of_them_is_told_with_the_order():
    scene = random_tree(5, n=4, floating=True)
    with pytest.raises(SceneError) as caught:
        with_start(scene, q=[1.0, 2.0])
    assert str(caught.value) == ("q has 2 numbers; expected 10 of b0 (x y z and w x y z), j1, j2 and j3, in this order")
    with pytest.raises(SceneError, match=r"v has 1 number; expected 9 of b0 \(angular and linear x y z\), j1"):
        with_start(scene, v=[1.0])


def test_rotations_nearly_of_length_1_are_made_so_and_others_refused():
    scene = random_tree(5, n=1, floating=True)
    near = [0.0, 0.0, 0.0, 1.0004, 0.0, 0.0, 0.0]
    assert compile_model(with_start(scene, q=near)).q0[3:].tolist() == [1.0, 0.0, 0.0, 0.0]
    with pytest.raises(SceneError, match='body "b0": rotation is a quaternion of length 2'):
        compile_model(with_start(scene, q=[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]))


def test_a_loop_is_closed_again_from_its_driven_joint():
    scene = four_bar(1.0, (0.5, -1.5))
    here = compile_model(scene)
    there = compile_model(with_start(scene, q=[1.3, *here.q0[1:]], v=[2.0, 0.0, 0.0, 0.0]))
    wanted = compile_model(four_bar(1.3, tuple(here.q0[1:3].tolist()), v=(2.0,)))
    assert there.q0 == pytest.approx(wanted.q0, abs=1e-12) and there.q0[0] == 1.3
    assert there.v0 == pytest.approx(wanted.v0, abs=1e-12) and there.v0[0] == 2.0
    again = compile_model(with_start(replace(scene), q=there.q0.tolist(), v=there.v0.tolist()))
    assert again.q0 == pytest.approx(there.q0, abs=1e-12)
    assert again.v0 == pytest.approx(there.v0, abs=1e-12)

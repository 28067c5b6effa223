"""The scene's inputs, forces and torques as functions of time, in the form that compiled steps evaluate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim import expression as ex
from sim.jit import inner, jit
from sim.model import Model
from sim.spatial.kernels import cross

Array = np.ndarray[Any, np.dtype[Any]]


class Inputs(NamedTuple):
    """Postfix programs one after the other: first one for each driven velocity, then six for each driven body."""

    op: Array  # (n,) instructions of sim.expression
    value: Array  # (n,) what a NUMBER pushes
    start: Array  # (nd + 6 nw + 1,) where each program begins
    dof: Array  # (nd,) velocity whose tau the program adds to
    body: Array  # (nw,) driven bodies
    at: Array  # (nw, 3) where the force acts, in body axes
    stack: Array  # operands that wait


def inputs_of(model: Model) -> Inputs:
    """The table of a model's scene; without inputs all of it is empty."""
    inputs = model.scene.inputs
    on_joints = [(i, model.joint_names.index(i.joint)) for i in inputs if i.joint is not None]
    on_bodies = [i for i in inputs if i.body is not None]
    programs = [ex.compile_expression(e) for i, _ in on_joints for e in i.torque]
    for i in on_bodies:
        programs += [ex.compile_expression(e) for e in (*(i.torque or (0.0, 0.0, 0.0)), *i.force)]
    dofs = [model.joint_v[j] + k for i, j in on_joints for k in range(len(i.torque))]
    return Inputs(
        op=np.concatenate([p.op for p in programs] or [np.zeros(0, dtype=np.int64)]),
        value=np.concatenate([p.value for p in programs] or [np.zeros(0)]),
        start=np.concatenate([[0], np.cumsum([len(p.op) for p in programs])]).astype(np.int64),
        dof=np.array(dofs, dtype=np.int64),
        body=np.array([model.body_names.index(str(i.body)) for i in on_bodies], dtype=np.int64),
        at=np.array([i.at for i in on_bodies], dtype=float).reshape(-1, 3),
        stack=np.zeros(max((p.depth for p in programs), default=1)),
    )


@inner
def _of_one(op, x):
    """NaN comes out where NaN goes in: what has no value must not pass for one."""
    if op == ex.NEGATE:
        return -x
    if op == ex.SIN:
        return math.sin(x)
    if op == ex.COS:
        return math.cos(x)
    if op == ex.TAN:
        return math.tan(x)
    if op == ex.TANH:
        return math.tanh(x)
    if op == ex.EXP:
        return math.exp(x)
    if op == ex.LOG:
        return math.log(x)
    if op == ex.SQRT:
        return math.sqrt(x)
    if op == ex.ABS:
        return abs(x)
    if op == ex.RAMP:
        return 0.0 if x < 0.0 else x
    if x > 0.0:
        return 1.0
    if x < 0.0:
        return -1.0 if op == ex.SIGN else 0.0
    if x == 0.0:
        return 0.0 if op == ex.SIGN else 1.0
    return x


@inner
def _of_two(op, a, b):
    if op == ex.ADD:
        return a + b
    if op == ex.SUBTRACT:
        return a - b
    if op == ex.MULTIPLY:
        return a * b
    if op == ex.DIVIDE:
        return a / b
    if op == ex.POWER:
        return a**b
    if op == ex.MIN:
        return a if a < b or a != a else b
    return a if a > b or a != a else b


@inner
def evaluate(op, value, first, last, t, stack):
    """The number that the program op[first:last] leaves on the stack at time t."""
    n = 0
    for k in range(first, last):
        if op[k] == ex.NUMBER:
            stack[n] = value[k]
            n += 1
        elif op[k] == ex.TIME:
            stack[n] = t
            n += 1
        elif ex.ADD <= op[k] <= ex.POWER or op[k] >= ex.MIN:
            n -= 1
            stack[n - 1] = _of_two(op[k], stack[n - 1], stack[n])
        else:
            stack[n - 1] = _of_one(op[k], stack[n - 1])
    return stack[0]


@inner
def add_inputs(inputs, t, R, center, tau, wrench):
    """Everything that the scene's inputs do at time t; a force f at the point `at` also turns:

        tau[dof] += program(t)        torque += (R (at − center)) × f

    Reads   R (nb, 3, 3) of the bodies, center (nb, 3) of mass in body axes, both in the scene's order
    Adds to tau (nv,) and wrench (nb, 6) [torque; force] about the centre of mass, world axes
    """
    op, value, start, stack = inputs.op, inputs.value, inputs.start, inputs.stack
    n = inputs.dof.shape[0]
    for k in range(n):
        tau[inputs.dof[k]] += evaluate(op, value, start[k], start[k + 1], t, stack)
    for k in range(inputs.body.shape[0]):
        b = inputs.body[k]
        for i in range(3):
            wrench[b, i] += evaluate(op, value, start[n + i], start[n + i + 1], t, stack)
        f0 = evaluate(op, value, start[n + 3], start[n + 4], t, stack)
        f1 = evaluate(op, value, start[n + 4], start[n + 5], t, stack)
        f2 = evaluate(op, value, start[n + 5], start[n + 6], t, stack)
        n += 6
        a0, a1, a2 = inputs.at[k, 0] - center[b, 0], inputs.at[k, 1] - center[b, 1], inputs.at[k, 2] - center[b, 2]
        r0 = R[b, 0, 0] * a0 + R[b, 0, 1] * a1 + R[b, 0, 2] * a2
        r1 = R[b, 1, 0] * a0 + R[b, 1, 1] * a1 + R[b, 1, 2] * a2
        r2 = R[b, 2, 0] * a0 + R[b, 2, 1] * a1 + R[b, 2, 2] * a2
        m0, m1, m2 = cross(r0, r1, r2, f0, f1, f2)
        wrench[b, 0] += m0
        wrench[b, 1] += m1
        wrench[b, 2] += m2
        wrench[b, 3] += f0
        wrench[b, 4] += f1
        wrench[b, 5] += f2


@jit
def apply_inputs(inputs, t, R, center, tau, wrench):
    """`add_inputs` for engines that step from Python."""
    add_inputs(inputs, t, R, center, tau, wrench)

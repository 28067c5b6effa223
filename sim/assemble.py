"""Closing loops before the first step: joints that nothing drives give way until every cut joint holds.

Driven and locked joints keep their q. With x the coordinates of the others and r(x) the residuals of the cut
joints [m, rad], the steps

    dx = −V s/(s² + μ) Uᵀ r,    J = ∂r/∂x = U s Vᵀ,    μ = ν |r|²        (singular values below 1e-9 s₁ are left out)

are Newton's near a solution and short far from one (Levenberg–Marquardt; ν grows fourfold whenever |r| would not
fall). μ vanishes with |r|², so convergence is quadratic, and at a dead point, where J loses rank, linear.
Redundant rows, three in a planar ring of hinges, need no special care.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.loops import Loop, Rows, closures, loops_of, measured_q, measured_v, rows
from sim.model import BALL, FREE, HINGE, SLIDER, Array, Model
from sim.scene import SceneError
from sim.spatial.rotation import quat_product, rotation_exp
from sim.wording import listing

CLOSED = 1e-12  # [m, rad]
ROUNDING = 16 * np.finfo(float).eps  # of the largest coordinate: all that can be asked of a mechanism of kilometres
CUTOFF = 1e-9  # relative, of singular values
SINGULAR = 1e-6  # relative; at a dead point rounding in r leaves its square root in q
STEPS = 100
LONGEST_TURN = 0.5  # [rad] in one step, so that the first guess decides which way a loop closes
NUDGES = (0.0, 0.02, 0.4)  # [rad, m] away from a first guess that leads nowhere
SMALL_MOVE = 1e-9  # [rad, m] not worth mentioning
NEARBY = 1e-4  # [rad, m]
FASTEST = 1e6  # times the given speeds: beyond, a dead point is in the way


def assemble(model: Model) -> Model:
    """The model with loops closed: q0, v0 of the joints that give way and of the cut ones, and a note for each.

    Raises SceneError where a loop cannot close, or cannot move with the given speeds.
    """
    loops = loops_of(model)
    giving = _giving_way(model, loops)
    q, v, notes = model.q0.copy(), model.v0.copy(), []
    for group in _groups(loops, giving):
        columns = np.flatnonzero(giving & np.any([loop.side != 0 for loop in group], axis=0))
        start = q
        q = _close(model, group, columns, q)
        v = _follow(model, group, columns, q, v)
        dead = _at_dead_point(model, group, q)
        notes += [_note(model, loop, start, q, dead) for loop in group]
    for loop, at in zip(loops, closures(model, loops, q), strict=True):
        j = loop.joint
        q[model.joint_q[j] : model.joint_q[j + 1]] = measured_q(model, loop, at)
        v[model.joint_v[j] : model.joint_v[j + 1]] = measured_v(model, loop, at, v)
    q.setflags(write=False)
    v.setflags(write=False)
    return replace(model, q0=q, v0=v, notes=tuple(notes))


def _giving_way(model: Model, loops: list[Loop]) -> Array:
    """(nv,) bool: of every loop the joints that are not actuated, or if there is none all but the first listed."""
    giving = np.zeros(len(model.joint_names), dtype=bool)
    for loop in loops:
        movable = [j for j in loop.path if model.joint_v[j + 1] > model.joint_v[j] and not model.joint_locked[j]]
        passive = [j for j in movable if not model.dof_actuated[model.joint_v[j]]]
        giving[passive or movable[1:]] = True
    return giving[model.dof_joint]


def _groups(loops: list[Loop], giving: Array) -> list[list[Loop]]:
    """Loops that share a joint that gives way close together."""
    groups: list[tuple[Array, list[Loop]]] = []
    for loop in loops:
        columns, members = giving & (loop.side != 0), [loop]
        joined = [g for g in groups if (g[0] & columns).any()]
        groups = [g for g in groups if not (g[0] & columns).any()]
        for other, before in joined:
            columns, members = columns | other, before + members
        groups.append((columns, members))
    return [members for _, members in groups]


def _residuals(model: Model, loops: list[Loop], q: Array) -> tuple[Array, Array]:
    """r and J (., nv) of all loops together."""
    parts = [rows(model, loop, at) for loop, at in zip(loops, closures(model, loops, q), strict=True)]
    r = np.concatenate([np.concatenate([part.gap, part.turn]) for part in parts])
    return r, np.concatenate([part.jacobian for part in parts])


def _moved(model: Model, q: Array, dx: Array) -> Array:
    """q ⊕ dx: balls turn about their child's axes, free bodies about the world's."""
    q = q.copy()
    for j in np.unique(model.dof_joint[dx != 0]):
        iq, kind = int(model.joint_q[j]), model.joint_type[j]
        step = dx[model.joint_v[j] : model.joint_v[j + 1]]
        if kind in (HINGE, SLIDER):
            q[iq] += step[0]
        elif kind == BALL:
            q[iq : iq + 4] = quat_product(q[iq : iq + 4], rotation_exp(step))
            q[iq : iq + 4] /= np.linalg.norm(q[iq : iq + 4])
        elif kind == FREE:
            q[iq : iq + 3] += step[3:]
            q[iq + 3 : iq + 7] = quat_product(rotation_exp(step[:3]), q[iq + 3 : iq + 7])
            q[iq + 3 : iq + 7] /= np.linalg.norm(q[iq + 3 : iq + 7])
    return q


def _descend(model: Model, loops: list[Loop], columns: Array, q: Array) -> tuple[Array, float]:
    """q where |r| falls no further, and the largest residual there."""
    r, J = _residuals(model, loops, q)
    turning = _turning(model)
    damping = 1.0
    for _ in range(STEPS):
        U, s, Vt = np.linalg.svd(J[:, columns], full_matrices=False)
        kept = s > CUTOFF * s[0]
        U, s, Vt = U[:, kept], s[kept], Vt[kept]
        size = float(r @ r)
        while True:
            dx = np.zeros(model.nv)
            dx[columns] = -(s / (s * s + damping * size) * (r @ U)) @ Vt
            dx *= min(1.0, LONGEST_TURN / max(float(np.abs(dx[turning]).max(initial=0.0)), LONGEST_TURN))
            nearer = _moved(model, q, dx)
            r_nearer, J_nearer = _residuals(model, loops, nearer)
            fall = 1 - float(r_nearer @ r_nearer) / size if size else 0.0
            if fall > 0:
                break
            if damping > 1e12 or np.abs(r).max() <= CLOSED:
                return q, float(np.abs(r).max())
            damping *= 4.0
        q, r, J, damping = nearer, r_nearer, J_nearer, max(damping / 16.0, 1e-9)
        if fall < 1e-9:
            break
    return q, float(np.abs(r).max())


def _turning(model: Model) -> Array:
    """(nv,) bool: velocities in rad/s."""
    kind = model.joint_type[model.dof_joint]
    first = np.arange(model.nv) - model.joint_v[model.dof_joint] < 3
    turning: Array = (kind == HINGE) | (kind == BALL) | ((kind == FREE) & first)
    return turning


def _close(model: Model, loops: list[Loop], columns: Array, q: Array) -> Array:
    """q with the loops closed by `columns`; a first guess that leads nowhere is left by a nudge, always the same."""
    size = float(np.abs(model.joint_position).max() + np.abs(q).max())
    enough = max(CLOSED, ROUNDING * size)
    if np.abs(_residuals(model, loops, q)[0]).max() <= enough:
        return q.copy()
    if not len(columns):
        raise _cannot_close(model, loops, columns, q)
    found = []
    for nudge in NUDGES:
        away = np.zeros(model.nv)
        away[columns] = nudge * np.sin(1.0 + 2.4 * np.arange(len(columns)))
        found.append(_descend(model, loops, columns, _moved(model, q, away)))
        if found[-1][1] <= enough:
            return _without_turns(model, found[-1][0], q)
    raise _cannot_close(model, loops, columns, min(found, key=lambda end: end[1])[0])


def _without_turns(model: Model, q: Array, guess: Array) -> Array:
    """q with the whole turns taken back that hinges made on their way from the guess."""
    at = model.joint_q[:-1][model.joint_type == HINGE]
    q[at] -= 2 * np.pi * np.round((q[at] - guess[at]) / (2 * np.pi))
    return q


def _follow(model: Model, loops: list[Loop], columns: Array, q: Array, v: Array) -> Array:
    """v with J v = 0: the joints that give way change theirs as little as possible."""
    J = _residuals(model, loops, q)[1]
    scale = float(np.max(np.abs(J) @ np.abs(v)))
    if not scale:
        return v
    change = np.zeros(model.nv)
    change[columns] = np.linalg.lstsq(J[:, columns], -J @ v, rcond=CUTOFF)[0] if len(columns) else 0.0
    left = float(np.abs(J @ (v + change)).max())
    if left > CUTOFF * scale or np.abs(change).max() > FASTEST * np.abs(v).max():
        joint = model.joint_names[loops[0].joint]
        driven = listing([model.joint_names[j] for j in _held(model, loops, columns) if v[model.joint_v[j]]] or ["it"])
        raise SceneError(
            f'joint "{joint}" cannot move with its loop: the start velocity of {driven} does not let the loop stay '
            "closed; give v to one joint of the loop only, or none",
            ("joint", joint),
        )
    return v + change


def _at_dead_point(model: Model, loops: list[Loop], q: Array) -> bool:
    """Whether the loops' rows have a higher rank a little further along a motion n that they allow, J n = 0.

    n is tangent to the closed mechanism's own way: ε n leaves it by O(ε²), and so do the singular values that are 0
    on it, while at a dead point one of them grows with ε.
    """
    on_path = np.any([loop.side != 0 for loop in loops], axis=0)
    columns = np.flatnonzero(on_path & ~model.joint_locked[model.dof_joint])
    if not len(columns):
        return False
    _, s, Vt = np.linalg.svd(_residuals(model, loops, q)[1][:, columns])
    rank = int((s > SINGULAR * s[0]).sum())
    free = np.cos(1.0 + np.arange(len(columns) - rank))  # any mixture of the motions that are left
    if not len(free):
        return False
    along = np.zeros(model.nv)
    along[columns] = NEARBY / np.linalg.norm(free) * free @ Vt[rank:]
    s = np.linalg.svd(_residuals(model, loops, _moved(model, q, along))[1][:, columns], compute_uv=False)
    return int((s > SINGULAR * s[0]).sum()) > rank


def _held(model: Model, loops: list[Loop], columns: Array) -> list[int]:
    """The loops' hinges and sliders that keep their place."""
    giving = set(model.dof_joint[columns].tolist())
    path = sorted({j for loop in loops for j in loop.path} - giving)
    return [j for j in path if model.joint_type[j] in (HINGE, SLIDER)]


def _cannot_close(model: Model, loops: list[Loop], columns: Array, q: Array) -> SceneError:
    """Of the joint that is furthest from holding."""

    def error(part: Rows) -> tuple[float, float]:
        return float(np.linalg.norm(part.gap)), float(np.linalg.norm(part.turn))

    errors = [error(rows(model, loop, at)) for loop, at in zip(loops, closures(model, loops, q), strict=True)]
    gap, turn = max(errors, key=max)
    joint = model.joint_names[loops[errors.index((gap, turn))].joint]
    parts = [f"a gap of {gap:.4g} m"] if gap > SINGULAR * turn else []
    parts += [f"an angle of {turn:.4g} rad"] if turn > SINGULAR * gap else []
    places = [
        f"{model.joint_names[j]} at {q[model.joint_q[j]]:.4g} {'rad' if model.joint_type[j] == HINGE else 'm'}"
        for j in _held(model, loops, columns)
    ]
    held = f" with {listing(places)}" if places else ""
    verb = "remain" if len(parts) > 1 else "remains"
    return SceneError(
        f'joint "{joint}" cannot close its loop: {listing(parts)} {verb}{held}; '
        "start elsewhere, let more joints give way (actuated = false) or change lengths",
        ("joint", joint),
    )


def _note(model: Model, loop: Loop, start: Array, q: Array, dead: bool) -> str:
    """What was done about one loop, for people."""
    turned = {j: _change(model, j, start, q) for j in loop.path}
    names = [model.joint_names[j] for j, change in turned.items() if max(change) > SMALL_MOVE]
    sentence = f'Joint "{model.joint_names[loop.joint]}" closes a loop: the tree is cut there'
    if names:
        angle, length = (max(change[k] for change in turned.values()) for k in (0, 1))
        by = [f"{angle:.2g} rad"] if angle > SMALL_MOVE else []
        by += [f"{length:.2g} m"] if length > SMALL_MOVE else []
        verb = "moved" if length > SMALL_MOVE else "turned"
        sentence += f", and {listing(names)} {'were' if len(names) > 1 else 'was'} {verb} to close it"
        sentence += f" (by {listing(by)} at most)"
    if dead:
        sentence += ". It stands at a dead point, where it can continue in more than one way, and follows its velocity"
    return sentence + "."


def _change(model: Model, j: int, a: Array, b: Array) -> tuple[float, float]:
    """How far a joint went from a to b: angle [rad] and length [m]."""
    kind, at = model.joint_type[j], slice(model.joint_q[j], model.joint_q[j + 1])
    a, b = a[at], b[at]
    if kind == HINGE:
        return abs(b[0] - a[0]), 0.0
    if kind == SLIDER:
        return 0.0, abs(b[0] - a[0])
    if kind not in (BALL, FREE):
        return 0.0, 0.0
    apart = min(float(np.linalg.norm(b[-4:] - a[-4:])), float(np.linalg.norm(b[-4:] + a[-4:])))
    return 4 * float(np.arcsin(min(apart / 2, 1.0))), float(np.linalg.norm(b[:-4] - a[:-4]))

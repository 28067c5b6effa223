"""Equations of motion in symbols, by Lagrange and Euler: M(q) q'' + C(q, q') q' + g(q) = tau.

    T = ½ q'ᵀ M q' = ½ Σ m ẋ_c² + ωᵀ I ω        C_ij = Σ_k ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) q'_k
    U = −Σ m gravity · x_c                      g_i = ∂U/∂q_i

Everything is a polynomial in the sliders' coordinates and the sines and cosines of the hinges, with exact fractions.
Velocities are those of the bodies in their own axes, which holds the polynomials short.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing
from sympy.simplify.fu import TR8

from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Model
from sim.spatial.rotation import axis_angle_to_matrix, skew

Array = np.ndarray[Any, np.dtype[Any]]

MOST_COORDINATES = 6
MOST_TERMS = 300  # of the mass matrix: two pages, and some seconds
MOST_OF_A_VELOCITY = 60  # before its terms are gathered
TOO_LONG = (
    "the equations have more terms than anybody reads; expected fewer joints, or axes that are parallel or at right "
    "angles, and `analyse` gives the numbers of any robot"
)
_ROUNDING = 1e-12  # what is left of 0, ½ or 1 in a rotation's entries; and of terms that cancel, of the largest
_DIGITS = 12


@dataclass(frozen=True)
class Equations:
    """Entries are SymPy expressions of the symbols q1, q2, … and, in C, of their rates q1', q2', …"""

    joints: tuple[str, ...]  # whose coordinates q1, q2, … are
    sliders: tuple[bool, ...]
    q: tuple[sympy.Symbol, ...]
    v: tuple[sympy.Symbol, ...]
    M: sympy.Matrix
    C: sympy.Matrix
    g: sympy.Matrix


def derive(model: Model) -> Equations:
    """Raises ValueError in one sentence where there are too many coordinates, or others than angles and lengths."""
    moving = _moving(model)
    system = _System(model, moving)
    n, M = range(len(moving)), system.masses()
    C = [[[system.christoffel(M, i, j, k) for k in n] for j in n] for i in n]
    g = [system.rate(system.potential, i) for i in n]
    q, v = system.symbols, tuple(sympy.Symbol(f"{symbol}'") for symbol in system.symbols)
    largest = max([abs(float(c)) for row in M for x in row for c in x.coeffs()], default=1.0)
    weight = max([abs(float(c)) for x in g for c in x.coeffs()], default=1.0)
    return Equations(
        joints=tuple(model.joint_names[j] for j in moving),
        sliders=tuple(bool(model.joint_type[j] == SLIDER) for j in moving),
        q=q,
        v=v,
        M=sympy.Matrix([[system.short(x, largest) for x in row] for row in M]),
        C=sympy.Matrix([[_by_velocity([system.short(x, largest) for x in c], v) for c in row] for row in C]),
        g=sympy.Matrix([_factored(system.short(x, weight)) for x in g]),
    )


def _moving(model: Model) -> list[int]:
    """The joints whose coordinates the equations are about."""
    if model.joint_cut.any():
        cut = model.joint_names[int(np.argmax(model.joint_cut))]
        raise ValueError(f'joint "{cut}" closes a loop; equations are derived of trees, so leave it out')
    for j, kind in enumerate(model.joint_type):
        if kind in (BALL, FREE):
            what = "is a ball joint" if kind == BALL else "moves freely"
            raise ValueError(
                f'"{model.joint_names[j]}" {what}, without one coordinate for each way to move; '
                "equations are derived of hinges and sliders"
            )
    moving = [j for j, kind in enumerate(model.joint_type) if kind != FIXED and not model.joint_locked[j]]
    if not moving:
        raise ValueError("nothing moves; expected a robot of hinges and sliders")
    if len(moving) > MOST_COORDINATES:
        raise ValueError(
            f"{len(moving)} coordinates would fill many pages; equations are derived of up to {MOST_COORDINATES}, "
            "and `analyse` gives the numbers of any robot"
        )
    return moving


def _rounded(x: sympy.Expr, scale: float) -> sympy.Expr:
    """Without the digits that rounding made, and without the terms that it left of others that cancel."""
    kept = []
    for term in sympy.Add.make_args(x):
        number, rest = term.as_coeff_Mul()
        if abs(float(number)) > _ROUNDING * scale:
            kept.append(sympy.Rational(f"{float(number):.{_DIGITS}g}") * rest)
    return sympy.Add(*kept)


def _by_velocity(coefficients: list[sympy.Expr], v: tuple[sympy.Symbol, ...]) -> sympy.Expr:
    """Σ_k coefficient_k v_k, with coefficients that are alike but for the sign gathered."""
    gathered: dict[sympy.Expr, sympy.Expr] = {}
    for coefficient, rate in zip(coefficients, v, strict=True):
        if coefficient.could_extract_minus_sign():
            coefficient, rate = -coefficient, -rate
        gathered[coefficient] = gathered.get(coefficient, 0) + rate
    return sympy.Add(*(_product(coefficient, rates) for coefficient, rates in gathered.items()))


def _product(coefficient: sympy.Expr, rates: sympy.Expr) -> sympy.Expr:
    """With the sign in front of both."""
    if rates.could_extract_minus_sign():
        return sympy.Mul(-1, coefficient, -rates)
    return coefficient * rates


def _factored(x: sympy.Expr) -> sympy.Expr:
    """With what all terms share in front of them: 19.62 (q2 + 0.2) cos q1; sums that share nothing stay as they are."""
    number, factors = sympy.factor(x).as_coeff_mul()
    sums = [factor for factor in factors if factor.is_Add]
    if len(sums) != 1 or len(factors) == 1:
        return x
    leading = sympy.Poly(sums[0]).LC()
    others = sympy.Mul(*(factor for factor in factors if not factor.is_Add))
    return sympy.Mul(number * leading, others, sympy.expand(sums[0] / leading))


class _System:
    """The robot as polynomials: vectors and matrices are NumPy arrays of ring elements."""

    def __init__(self, model: Model, moving: list[int]) -> None:
        self._model, self._moving = model, moving
        n = len(moving)
        self.symbols = tuple(sympy.Symbol(f"q{i + 1}", real=True) for i in range(n))
        names = [f"{kind}{i + 1}" for kind in "xcs" for i in range(n)]  # a length, or a cosine and a sine
        self._ring = PolyRing(names, QQ)
        self._x, self._c, self._s = (self._ring.gens[k * n : (k + 1) * n] for k in range(3))
        self._slides = [bool(model.joint_type[j] == SLIDER) for j in moving]
        self._walk()

    def _walk(self) -> None:
        """Velocities of each body a unit of each rate, and where its centre of mass is."""
        m, nb, n = self._model, len(self._model.body_names), len(self._moving)
        angular, linear, place = {-1: self._zeros(n)}, {-1: self._zeros(n)}, {-1: self._exact(np.eye(4))}
        self.potential = self._ring.zero
        for j in m.tree_order:
            parent, child = int(m.joint_parent[j]), int(m.joint_child[j])
            R, p = self._step(j)
            w, u = angular[parent], linear[parent]
            angular[child] = R.T @ w
            linear[child] = R.T @ (u + self._cross(w, p))
            if j in self._moving:
                i, axis = self._moving.index(j), self._turned(m.joint_child_rotation[j] @ m.joint_axis[j])
                if m.joint_type[j] == SLIDER:
                    linear[child][:, i] += axis
                else:
                    angular[child][:, i] += axis
                    linear[child][:, i] += self._exact(skew(m.joint_child_position[j])) @ axis
            if max(len(x) for x in (*angular[child].ravel(), *linear[child].ravel())) > MOST_OF_A_VELOCITY:
                raise ValueError(TOO_LONG)
            X = self._exact(np.eye(4))
            X[:3, :3], X[:3, 3] = R, p
            place[child] = place[parent] @ X
            center = (place[child] @ self._exact(np.append(m.body_center[child], 1.0)))[:3]
            weight = self._exact(np.array(m.body_mass[child] * m.gravity))
            self.potential -= self._clean(weight @ center)
        centers = [self._exact(skew(m.body_center[b])) for b in range(nb)]
        self._angular = [angular[b] for b in range(nb)]
        self._linear = [linear[b] - centers[b] @ angular[b] for b in range(nb)]
        for parts in (self._angular, self._linear):
            for b, part in enumerate(parts):
                parts[b] = np.vectorize(self._clean, otypes=[object])(part)
        self._masses = self._exact(m.body_mass)
        self._inertias = self._exact(m.body_inertia)

    def _step(self, j: int) -> tuple[Array, Array]:
        """R, p of a joint's child in its parent: R_PJ R_q R_CJᵀ and p_PJ + R_PJ d_q − R p_CJ."""
        m = self._model
        base, back = self._turned(m.joint_rotation[j]), self._turned(m.joint_child_rotation[j].T)
        axis, turn, shift = m.joint_axis[j], self._exact(np.eye(3)), self._exact(np.zeros(3))
        if j in self._moving:
            i = self._moving.index(j)
            along = self._turned(axis)
            if m.joint_type[j] == SLIDER:
                shift = along * self._x[i]
            else:  # Rodrigues: a aᵀ + cos θ (1 − a aᵀ) + sin θ [a]×
                straight = np.outer(along, along)
                turn = straight + (turn - straight) * self._c[i] + self._turned(skew(axis)) * self._s[i]
        elif m.joint_type[j] in (HINGE, SLIDER):  # locked where it starts
            at = float(m.q0[m.joint_q[j]])
            if m.joint_type[j] == SLIDER:
                shift = self._turned(axis) * self._exact(np.array(at))[()]
            else:
                turn = self._turned(axis_angle_to_matrix(axis, at))
        R = base @ turn @ back
        return R, self._exact(m.joint_position[j]) + base @ shift - R @ self._exact(m.joint_child_position[j])

    def masses(self) -> list[list[PolyElement]]:
        """M, as long as it can be read."""
        n, terms = len(self._moving), 0
        M = [[self._ring.zero] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                M[i][j] = M[j][i] = self.mass(i, j)
                terms += len(M[i][j]) * (2 if j < i else 1)
                if terms > MOST_TERMS:
                    raise ValueError(TOO_LONG)
        return M

    def mass(self, i: int, j: int) -> PolyElement:
        """M_ij = Σ m ẋ_i · ẋ_j + ω_i · I ω_j, with the rotor on the diagonal."""
        m = self._model
        total = self._ring.zero
        if i == j:
            total += self._fraction(float(m.dof_rotor[m.joint_v[self._moving[i]]]))
        for mass, inertia, w, u in zip(self._masses, self._inertias, self._angular, self._linear, strict=True):
            total += mass * (u[:, i] @ u[:, j]) + w[:, i] @ inertia @ w[:, j]
        return self._clean(total)

    def christoffel(self, M: list[list[PolyElement]], i: int, j: int, k: int) -> PolyElement:
        """½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i)"""
        twice = self.rate(M[i][j], k) + self.rate(M[i][k], j) - self.rate(M[j][k], i)
        return self._clean(twice * QQ(1, 2))

    def rate(self, x: PolyElement, i: int) -> PolyElement:
        """∂x/∂q_i"""
        if self._slides[i]:
            return x.diff(self._x[i])
        return self._clean(self._c[i] * x.diff(self._s[i]) - self._s[i] * x.diff(self._c[i]))

    def short(self, x: PolyElement, scale: float) -> sympy.Expr:
        """The shortest of some ways to write it."""
        ways = [self._expression(x), self._expression(self._without(x, self._c, self._s))]
        ways.append(sympy.expand(TR8(ways[0]), trig=False))
        return min((_rounded(way, scale) for way in ways), key=lambda way: (way.count_ops(), len(str(way))))

    def _expression(self, x: PolyElement) -> sympy.Expr:
        values = [*self.symbols, *(sympy.cos(q) for q in self.symbols), *(sympy.sin(q) for q in self.symbols)]
        return x.as_expr(*values)

    def _clean(self, x: PolyElement) -> PolyElement:
        """With 1 − cos² for every sin²."""
        return self._without(self._ring(x), self._s, self._c)

    def _without(self, x: PolyElement, squared: Any, instead: Any) -> PolyElement:
        """With 1 − b² for every a², a and b being sine and cosine of an angle."""
        for a, b in zip(squared, instead, strict=True):
            at, out = self._ring.gens.index(a), self._ring.zero
            for powers, coefficient in x.terms():
                rest = tuple(power % 2 if k == at else power for k, power in enumerate(powers))
                out += self._ring({rest: coefficient}) * (1 - b**2) ** (powers[at] // 2)
            x = out
        return x

    def _turned(self, values: Array) -> Array:
        """Entries of a rotation or a direction: halves and wholes where rounding left almost one."""
        nearest = np.round(2.0 * values) / 2.0
        return self._exact(np.where(np.abs(values - nearest) < _ROUNDING, nearest, values))

    def _exact(self, values: Array) -> Array:
        return np.vectorize(lambda x: self._ring(self._fraction(float(x))), otypes=[object])(values)

    def _zeros(self, n: int) -> Array:
        return self._exact(np.zeros((3, n)))

    @staticmethod
    def _cross(w: Array, p: Array) -> Array:
        """w × p for each column of w."""
        return np.array([w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]], dtype=object)

    @staticmethod
    def _fraction(x: float) -> Any:
        """The decimal that people wrote."""
        exact = Fraction(repr(x))
        return QQ(exact.numerator, exact.denominator)

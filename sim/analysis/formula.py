"""Equations of motion as people write them: 2q2² + 0.8q2 + 3.08, in text and in LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from sim.analysis.lagrange import Equations

TAU = "\\tau"
_DIGITS = 10
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class _Style:
    """How one notation writes things."""

    minus: str
    cosine: str
    sine: str
    opening: str
    closing: str
    latex: bool

    def symbol(self, name: str) -> str:
        """q1' or \\dot q_{1}."""
        if not self.latex:
            return name
        number = name.strip("q'")
        return f"\\dot q_{{{number}}}" if name.endswith("'") else f"q_{{{number}}}"

    def number(self, x: float) -> str:
        digits, _, exponent = f"{x:.{_DIGITS}g}".partition("e")
        if not exponent:
            return digits
        return f"{digits} \\cdot 10^{{{int(exponent)}}}" if self.latex else f"{digits}e{int(exponent)}"

    def power(self, exponent: int) -> str:
        if exponent == 1:
            return ""
        return f"^{{{exponent}}}" if self.latex else str(exponent).translate(_SUPERSCRIPTS)


_TEXT = _Style("−", "cos", "sin", "(", ")", False)
_LATEX = _Style("-", "\\cos", "\\sin", "\\left(", "\\right)", True)


def text(x: sympy.Expr) -> str:
    return _sum(x, _TEXT)


def latex(x: sympy.Expr) -> str:
    return _sum(x, _LATEX)


def latex_equation(equations: Equations) -> str:
    """The whole, as one displayed equation; forces of sliders are called f."""
    rates = [_LATEX.symbol(str(v)) for v in equations.v]
    forces = [f"{'f' if slides else TAU}_{{{i}}}" for i, slides in enumerate(equations.sliders, start=1)]
    matrices = equations.M, equations.C, equations.g
    M, C, g = (_brackets([[latex(x) for x in m.row(i)] for i in range(m.rows)]) for m in matrices)
    accelerations = _brackets([[rate.replace("dot", "ddot")] for rate in rates])
    velocities, right = (_brackets([[x] for x in column]) for column in (rates, forces))
    return f"{M} {accelerations}\n+ {C} {velocities}\n+ {g}\n= {right}"


def _brackets(rows: list[list[str]]) -> str:
    return "\\begin{bmatrix} " + " \\\\ ".join(" & ".join(row) for row in rows) + " \\end{bmatrix}"


def _sum(x: sympy.Expr, style: _Style) -> str:
    """Terms with their signs between them."""
    out = ""
    for term in x.as_ordered_terms():
        number, rest = term.as_coeff_Mul()
        negative = number < 0
        if out:
            out += f" {style.minus} " if negative else " + "
        elif negative:
            out = style.minus
        out += _term(abs(number), rest, style)
    return out


def _term(number: sympy.Rational, rest: sympy.Expr, style: _Style) -> str:
    """A number, then coordinates, functions and sums: 19.62 cos q1 (q2 + 0.2)."""
    symbols, functions, sums = [], [], []
    for factor in sympy.Mul.make_args(rest):
        base, exponent = factor.as_base_exp()
        power = style.power(int(exponent))
        if base.is_Symbol:
            symbols.append(style.symbol(str(base)) + power)
        elif base.is_Function:
            name = style.cosine if isinstance(base, sympy.cos) else style.sine
            functions.append(f"{name}{power}{_argument(base.args[0], style)}")
        elif base.is_Add:
            sums.append(style.opening + _sum(base, style) + style.closing + power)
    size = style.number(float(number))
    parts = sorted(symbols) + sorted(functions)
    if size != "1" or not (parts or sums):
        if symbols:
            parts[0] = size + ("\\," if style.latex else "") + parts[0]
        else:
            parts.insert(0, size)
    if sums and symbols and not functions:
        return " ".join(parts) + "".join(sums)
    return " ".join(parts + sums)


def _argument(x: sympy.Expr, style: _Style) -> str:
    return f" {style.symbol(str(x))}" if x.is_Symbol else f"{style.opening}{_sum(x, style)}{style.closing}"

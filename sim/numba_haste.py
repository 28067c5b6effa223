"""Shortcuts through numba's compiler: it finds the same things in less time, and the code it makes is the same to the bit.

numba works out over and over what cannot have changed, or writes sentences about failures that nobody reads.
"""

from __future__ import annotations

from typing import Any

from numba.core import errors, ir
from numba.core.base import BaseContext
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction


def make_haste() -> None:
    TargetConfig.__hash__ = lambda self: hash(type(self))
    TargetConfig.__eq__ = _same_options
    ir.Inst._rec_list_vars = _variables
    BaseFunction.get_call_type = _call_type
    BaseContext.get_function = _implementation
    errors.termcolor()._markup = lambda text, *_: text


def _same_options(self: TargetConfig, other: object) -> bool:
    """numba looks every call up by the options it is compiled with, and gathers all forty of them to hash and compare
    them: a tenth of the time of compiling. Only those that were given can differ.
    """
    if not isinstance(other, TargetConfig):
        return False
    given = self._values.keys() | other._values.keys()
    return self._values == other._values or all(getattr(self, name) == getattr(other, name) for name in given)


_WITHOUT_VARIABLES = {str, int, float, bool, type(None), ir.Loc}


def _variables(self: ir.Inst, value: Any) -> list[ir.Var]:
    """The variables of an instruction, asked for two million times: by exact types, where numba tries abstract ones."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in _WITHOUT_VARIABLES:
        return []
    if kind is dict:
        value = value.values()
    elif kind is not list and kind is not tuple:
        return value.list_vars() if isinstance(value, ir.Inst) else []
    found = []
    for part in value:
        found += _variables(self, part)
    return found


_resolve = BaseFunction.get_call_type


def _call_type(self: BaseFunction, context: Any, args: Any, kws: Any) -> Any:
    """What an operator makes of such operands, which numba finds by trying all definitions there are at every use."""
    if kws:
        return _resolve(self, context, args, kws)
    known = self.__dict__.setdefault("_known", {})
    if args not in known:
        known[args] = _resolve(self, context, args, kws)
    return known[args]


_look_up = BaseContext.get_function
_missing: set[Any] = set()


def _implementation(self: BaseContext, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
    """Every look at an array asks first for special definitions by name, which there are none of."""
    if not isinstance(fn, str):
        return _look_up(self, fn, sig, _firstcall)
    if (fn, sig) in _missing:
        raise NotImplementedError
    try:
        return _look_up(self, fn, sig, _firstcall)
    except NotImplementedError:
        _missing.add((fn, sig))
        raise

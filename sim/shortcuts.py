"""Shortcuts through numba's compiler, a quarter of its time: it finds the same, and makes the same machine code.

numba works out at every use what cannot have changed, and writes sentences about failures that nobody reads.
"""

from __future__ import annotations

from typing import Any

from numba.core import errors, ir
from numba.core.base import BaseContext
from numba.core.targetconfig import TargetConfig
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import InlineClosureLikes

# Passes that find nothing in kernels, which have no closures and no expressions of whole arrays.
NEEDLESS = (InlineClosureLikes, InlineOverloads, NopythonRewrites)

_resolve, _look_up = BaseFunction.get_call_type, BaseContext.get_function


def take_shortcuts() -> None:
    """For every kernel compiled from now on in this process."""
    TargetConfig.__hash__ = lambda self: hash(type(self))
    TargetConfig.__eq__ = _same_options
    ir.Inst._rec_list_vars = _variables
    BaseFunction.get_call_type = _call_type  # type: ignore[method-assign]
    BaseContext.get_function = _implementation
    errors.termcolor()._markup = lambda text, *_: text  # type: ignore[attr-defined]


def _same_options(self: TargetConfig, other: object) -> bool:
    """numba looks every call up by the options it is compiled with, and gathers all forty of them to hash and compare
    them. Only those that were given can differ.
    """
    if not isinstance(other, TargetConfig):
        return False
    given = self._values.keys() | other._values.keys()
    return self._values == other._values or all(getattr(self, name) == getattr(other, name) for name in given)


_WITHOUT_VARIABLES = {str, int, float, bool, type(None), ir.Loc}


def _variables(self: ir.Inst, value: Any) -> list[ir.Var]:
    """The variables in a part of an instruction, asked for two million times: told by exact types."""
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


def _call_type(self: BaseFunction, context: Any, args: Any, kws: Any) -> Any:
    """What a function of numba's makes of such arguments: found once, by trying all of its definitions."""
    if kws:
        return _resolve(self, context, args, kws)
    known = self.__dict__.setdefault("_known", {})
    if args not in known:
        known[args] = _resolve(self, context, args, kws)
    return known[args]


_missing: set[Any] = set()


def _implementation(self: BaseContext, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
    """Every look into an array asks first for special code by its name: where there is none, there never will be."""
    if (fn, sig) in _missing:
        raise NotImplementedError
    try:
        return _look_up(self, fn, sig, _firstcall)
    except NotImplementedError:
        if isinstance(fn, str):
            _missing.add((fn, sig))
        raise

"""Bundles: a NamedTuple of arrays as one thing for kernels, a pointer.

A tuple is taken apart and put together again at every call: kernels that pass a hundred arrays down as tuples compile
seven times longer and cost 10 µs a call from Python, against 0.6 µs.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array


class BundleType(types.Type):
    """The type of a bundle under a short name: the name of every kernel that takes one repeats it."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields, self.place, end = dict(fields), {}, 0
        for field, kind in fields:
            self.place[field] = end
            end += 1 if isinstance(kind, BundleType) else 1 + 2 * kind.ndim
        super().__init__(f"{name}_{hashlib.sha256(str(fields).encode()).hexdigest()[:8]}")


class Bundle:
    """The arrays of a NamedTuple for kernels, which see them as long as this lives; `where` is its address."""

    def __init__(self, arrays: Any) -> None:
        self._parts = [Bundle(part) if isinstance(part, tuple) else part for part in arrays]
        self._words = np.array([word for part in self._parts for word in _words(part)], dtype=np.int64)
        self.where: int = self._words.ctypes.data
        kinds = zip(arrays._fields, map(numba.typeof, self._parts), strict=True)
        self._numba_type_ = BundleType(type(arrays).__name__, tuple(kinds))


def _words(part: Any) -> list[int]:
    """A field as kernels read it: the address of a bundle; the address, shape and strides of an array."""
    return [part.where] if isinstance(part, Bundle) else [part.ctypes.data, *part.shape, *part.strides]


def opaque(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same with addresses for bundles: what `call` and `ask` pass on without knowing its type."""
    return tuple(getattr(argument, "where", argument) for argument in arguments)


register_model(BundleType)(models.OpaqueModel)


@unbox(BundleType)
def _pointer(_kind: Any, bundle: Any, python: Any) -> Any:
    where = python.pyapi.object_getattr_string(bundle, "where")
    pointer = python.pyapi.long_as_voidptr(where)
    python.pyapi.decref(where)
    return NativeValue(pointer)


@infer_getattr
class _Fields(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, bundle: Any, field: str) -> Any:
        return bundle.fields.get(field)


@lower_getattr_generic(BundleType)
def _look(context: Any, builder: Any, bundle: Any, pointer: Any, field: str) -> Any:
    """Words never change, which LLVM is told: it reads them once, whatever is written to arrays meanwhile."""
    words = builder.bitcast(pointer, cgutils.intp_t.as_pointer())

    def word(i: int) -> Any:
        read = builder.load(builder.gep(words, [cgutils.intp_t(bundle.place[field] + i)], inbounds=True))
        read.set_metadata("invariant.load", builder.module.add_metadata([]))
        return read

    kind = bundle.fields[field]
    if isinstance(kind, BundleType):
        return builder.inttoptr(word(0), pointer.type)
    array = make_array(kind)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(word(0), array.data.type),
        shape=[word(1 + axis) for axis in range(kind.ndim)],
        strides=[word(1 + kind.ndim + axis) for axis in range(kind.ndim)],
        itemsize=context.get_abi_sizeof(context.get_data_type(kind.dtype)),
        meminfo=None,
    )
    return array._getvalue()

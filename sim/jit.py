"""What the program knows of numba, but for bundles (sim/bundle.py) and shortcuts through it (sim/shortcuts.py).

Compiled kernels are kept on disk in a folder named after a hash of the sources, because numba's own
cache sees neither changes in other files nor changed decorator flags.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import cgutils, errors, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from sim.shortcuts import NEEDLESS, take_shortcuts

_SOURCES = Path(__file__).parent
_KERNEL_FOLDERS = ("spatial", "dynamics", "impulse", "tree", "bullet", "control")
_CONSTANTS = ("model.py", "expression.py")  # whose numbers kernels have compiled in
_KERNEL_FILES = ("jit.py", "bundle.py", "shortcuts.py", "ledger.py", "march.py", "record.py")
_KEEP_FOLDERS = 3

# Everything that lets LLVM reorder and contract, but NaN and infinity keep their meaning: guards look for them, as
# abs(x) < inf. (numba's isfinite is x − x == x − x, which reordering takes for true.)
_FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

_ROUNDS = 2  # of optimisation; a third gains nothing

_ROOM = 2**17  # [words]

_kernels: list[Any] = []


def _source_hash() -> str:
    h = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    kernels = (p for folder in _KERNEL_FOLDERS for p in (_SOURCES / folder).glob("*.py"))
    for path in sorted([*(_SOURCES / name for name in (*_CONSTANTS, *_KERNEL_FILES)), *kernels]):
        h.update(path.read_bytes())
    return h.hexdigest()[:16]


def _cache_root() -> Path:
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given) / "impulse"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "Impulse" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "impulse" / "kernels"


def _cache_folder() -> Path:
    """This version's folder; of older ones the newest few stay."""
    root = _cache_root()
    folder = root / _source_hash()
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        ours = [f for f in root.iterdir() if f.is_dir() and re.fullmatch("[0-9a-f]{16}", f.name)]
        others = sorted(ours, key=lambda f: f.stat().st_mtime)
        for old in others[:-_KEEP_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


numba.config.CACHE_DIR = str(_cache_folder())
take_shortcuts()


class _Part(JITCodeLibrary):
    """The code of a kernel that only kernels call: kept as it is until an entry takes it in and optimises the whole.

    As a library of its own numba would optimise it and turn it into machine code at every level of calls.
    """

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nor a place in it for Python objects, which such kernels do not use."""


class _Whole(JITCodeLibrary):
    """An entry with all its parts, optimised twice: the second time over what the first has melted together."""

    def _optimize_final_module(self) -> None:
        for _ in range(_ROUNDS):
            super()._optimize_final_module()


class _PartCompiler(Compiler):
    """Compiles a kernel into a `_Part`."""

    library: type[JITCodeLibrary] = _Part

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = self.library(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)

    def define_pipelines(self) -> list[Any]:
        [manager] = super().define_pipelines()
        manager.passes = [step for step in manager.passes if step[0] not in NEEDLESS]
        return [manager]


def _roomy(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same with a megabyte for the frames of all that it calls.

    Python maps 16 kB at a time for frames and unmaps them as soon as the first frame in them ends. Where numba loops
    just there, every call maps memory anew: a seventh of the time of compiling. A frame that takes a little more than
    half of a large piece leaves the rest of it to the frames above; of its own half nothing is ever touched.
    """
    function.__code__ = function.__code__.replace(co_stacksize=_ROOM)
    return function


class _WholeCompiler(_PartCompiler):
    """Compiles an entry without looking for garbage: not meanwhile, and what is there afterwards stays for good.

    Either would be a tenth of the time.
    """

    library = _Whole

    @_roomy
    def compile_extra(self, function: Any) -> Any:
        collected = gc.isenabled()
        gc.disable()
        try:
            return _without_arrays(super().compile_extra, function)
        finally:
            gc.freeze()
            if collected:
                gc.enable()


def _without_arrays(compiled: Callable[..., Any], function: Any) -> Any:
    """Refuses what creates arrays, as numba does, and what returns them, of which numba would let tuples pass."""
    rule = "Kernels create no arrays and return none: they write into those that they are given."
    try:
        made = compiled(function)
    except errors.NumbaError as error:
        if re.search("NRT required|returning of array", str(error)):
            error.add_note(rule)
        raise
    if any(isinstance(kind, types.Array) for kind in getattr(made.signature.return_type, "types", ())):
        raise errors.NumbaTypeError(f"{function.__name__} returns arrays. {rule}")
    return made


# Kernels do not count the users of arrays, which took a quarter of the time of an arm's step. What they see is
# Python's, which keeps it for as long as a call takes.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_WITHOUT_ENTRY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def jit(function: Callable[..., Any]) -> Any:
    """Compile `function` on its first call, without the GIL, cached on disk."""
    kernel = numba.njit(cache=True, fastmath=_FASTMATH, pipeline_class=_WholeCompiler, **_OPTIONS)(function)
    _kernels.append(kernel)
    return kernel


def inner(function: Callable[..., Any]) -> Any:
    """Like `jit`, for kernels that only other kernels call; they become part of those.

    They have no entry from Python: calling one there crashes the interpreter.
    """
    return numba.njit(fastmath=_FASTMATH, pipeline_class=_PartCompiler, **_OPTIONS, **_WITHOUT_ENTRY)(function)


def pasted(function: Callable[..., Any]) -> Any:
    """Like `inner`, for a kernel with a single caller: part of it, and not compiled and optimised a second time."""
    return numba.njit(inline="always", fastmath=_FASTMATH, **_OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Like `inner`, and pasted into every caller: small products whose tuples then stay in registers."""
    return numba.njit(cache=True, fastmath=_FASTMATH, forceinline=True, **_OPTIONS, **_WITHOUT_ENTRY)(function)


def as_written(function: Callable[..., Any]) -> Any:
    """Like `inlined`, with operations in the order written; a product and a sum may be rounded once."""
    return numba.njit(cache=True, fastmath={"contract"}, forceinline=True, **_OPTIONS, **_WITHOUT_ENTRY)(function)


def address(kernel: Any, *arguments: Any) -> int:
    """Where the machine code of an entry for such arguments is, compiled if it has to be; for `call` and `ask`."""
    kinds = tuple(numba.typeof(argument) for argument in arguments)
    kernel.compile(kinds)
    result = kernel.overloads[kinds]
    where: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return where


def _calling(result: Any) -> Any:
    """An intrinsic that calls the entry at an address with a tuple of arguments."""

    def typed(_context: Any, _address: Any, arguments: Any) -> Any:
        kinds = tuple(numba.types.unliteral(kind) for kind in arguments.types)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            function = context.call_conv.get_function_type(result, kinds)
            pointer = builder.inttoptr(values[0], function.as_pointer())
            given = cgutils.unpack_tuple(builder, values[1])
            _, out = context.call_conv.call_function(builder, pointer, result, kinds, given)
            return context.get_dummy_value() if result is types.none else out

        return result(types.int64, arguments), generate

    return intrinsic(typed)


# Entries called from other entries by their address: nothing is compiled a second time into the caller, and what is
# never called is never compiled. `call` is for entries that return nothing, `ask` for those that return three numbers.
call = _calling(types.none)
ask = _calling(numba.types.UniTuple(types.int64, 3))


def compile_progress() -> tuple[int, int]:
    """How many of the kernels known so far are ready to run, and how many there are."""
    return sum(1 for k in _kernels if k.signatures), len(_kernels)

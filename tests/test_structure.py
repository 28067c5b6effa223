"""The plan of the house, read from the sources: who may import whom, and how large things may grow."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([ROOT / "main.py", *(ROOT / "sim").rglob("*.py"), *(ROOT / "app").rglob("*.py")])

# Inside sim a module imports only from the lines above its own, or from its own folder.
# "sim.control" is the table of controllers, "sim.control.*" the controllers themselves.
LAYERS = (
    "sim.shortcuts sim.bundle",
    "sim.scene sim.jit sim.wording",
    "sim.expression sim.spatial.* sim.backend sim.control sim.command sim.plausible",
    "sim.check sim.target_path sim.valueless",
    "sim.model sim.state sim.start",
    "sim.cause_names sim.ring sim.clock sim.apart sim.lane_names sim.past",
    "sim.plots",
    "sim.dynamics.* sim.history sim.rest sim.files.* sim.tuning",
    "sim.loops",
    "sim.assemble",
    "sim.control.* sim.impulse.* sim.tree.* sim.bullet.* sim.analysis.* sim.ledger sim.acting",
    "sim.record sim.causes",
    "sim.march",
    "sim.simulation sim.robot",
    "sim.identify sim.holding",
    "sim.rewind sim.journal sim.replay",
    "sim.tally",
    "sim.lane",
    "sim.comparison",
    "sim.companions",
    "sim.runner",
)
RANKS = {name: rank for rank, line in enumerate(LAYERS) for name in line.split()}

# A package that only some may import, and who may.
RESERVED = {
    "numba": ("sim.jit", "sim.bundle", "sim.shortcuts"),
    "pybullet": ("sim.bullet",),
    "sympy": ("sim.analysis.lagrange", "sim.analysis.formula"),
    "PyQt6": ("app", "main"),
    "pyqtgraph": ("app",),
    "OpenGL": ("app",),
    "av": ("app",),
    "sim.impulse": ("sim.impulse",),
    "sim.tree": ("sim.tree",),
    "sim.bullet": ("sim.bullet",),
    "sim.dynamics": ("sim",),
    "sim.jit": ("sim",),
    "app": ("app", "main"),
    "main": (),
}

# What the window's first paint needs: it must not wait for numba (0.2 s).
FIRST_PAINT = (
    "sim.scene sim.model sim.check sim.state sim.command sim.backend sim.control sim.files sim.rest sim.loops "
    "sim.assemble sim.runner sim.lane_names"
)

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 70
VAGUE = re.compile(r"util|helper|manager|misc|common", re.IGNORECASE)
HEX_COLOUR = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in SOURCES}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8"), str(path))


def places(path: Path, nodes: list[ast.AST], what: str = "") -> list[str]:
    return [f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)} {what}".rstrip() for node in nodes]


def names_of(node: ast.AST) -> list[str]:
    """The modules an import statement names; `from package import module` names the module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        joined = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if name in MODULES else str(node.module) for name in joined]
    return []


def imports(module: str) -> set[str]:
    """Everything the module imports, also inside functions and for type checking only."""
    return {name for node in ast.walk(parse(MODULES[module])) for name in names_of(node)}


def imports_when_loaded(module: str) -> set[str]:
    """What importing the module imports: neither inside functions nor for type checking only."""
    found: set[str] = set()
    pending: list[ast.AST] = [parse(MODULES[module])]
    while pending:
        node = pending.pop()
        found.update(names_of(node))
        type_checking = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if not type_checking and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return found


def inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer(module: str) -> str:
    if module in RANKS:
        return module
    return ".".join(module.split(".")[:2]) + ".*"


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(parse(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def compiled(function: ast.FunctionDef | ast.AsyncFunctionDef, path: Path) -> bool:
    """Decorated with something that the file imports from sim.jit."""
    compilers = {
        alias.asname or alias.name
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.module == "sim.jit"
        for alias in node.names
    }
    return bool(compilers & set(map(ast.unparse, function.decorator_list)))


def test_imports_are_absolute() -> None:
    relative = [
        place
        for path in SOURCES
        for place in places(path, [n for n in ast.walk(parse(path)) if isinstance(n, ast.ImportFrom) and n.level])
    ]
    assert not relative


@pytest.mark.parametrize("package", RESERVED)
def test_packages_are_imported_only_by_those_who_may(package: str) -> None:
    allowed = RESERVED[package]
    intruders = [
        f"{module} imports {name}"
        for module in MODULES
        for name in sorted(imports(module))
        if inside(name, package) and not any(inside(module, owner) for owner in allowed)
    ]
    assert not intruders


def test_every_module_of_sim_has_a_layer() -> None:
    homeless = [
        module for module in MODULES if inside(module, "sim") and module != "sim" and layer(module) not in RANKS
    ]
    assert not homeless, "give it a place in LAYERS"


def test_sim_imports_only_from_lower_layers() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        if inside(module, "sim") and module != "sim"
        for name in sorted(imports_when_loaded(module))
        if inside(name, "sim") and name != "sim" and layer(name) != layer(module)
        if RANKS[layer(name)] >= RANKS[layer(module)]
    ]
    assert not wrong


def test_panels_never_import_panels() -> None:
    """The folder's own table, app.panels, is the only one that may name them."""
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        if module.startswith("app.panels.")
        for name in sorted(imports(module))
        if name.startswith("app.panels.")
    ]
    assert not wrong


def test_app_never_imports_kernels() -> None:
    kernels = {module for module in MODULES if "sim.jit" in imports_when_loaded(module)} - {"sim.simulation"}
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        if not inside(module, "sim")
        for name in sorted(imports(module) & kernels)
    ]
    assert not wrong


def test_nothing_imports_itself_in_a_circle() -> None:
    graph = {module: imports_when_loaded(module) & MODULES.keys() - {module} for module in MODULES}
    while free := [module for module, needs in graph.items() if not needs & graph.keys()]:
        for module in free:
            del graph[module]
    assert not graph


def test_first_paint_does_not_wait_for_heavy_packages() -> None:
    code = f"import sys, {', '.join(FIRST_PAINT.split())}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert not {"numba", "pybullet", "av"} & set(run.stdout.split())


def test_sim_prints_nothing() -> None:
    prints = [
        place
        for module, path in MODULES.items()
        if inside(module, "sim")
        for place in places(
            path,
            [
                n
                for n in ast.walk(parse(path))
                if isinstance(n, ast.Call) and ast.unparse(n.func) in ("print", "sys.exit")
            ],
        )
    ]
    assert not prints


def test_functions_of_sim_have_type_hints_unless_compiled() -> None:
    untyped = [
        place
        for module, path in MODULES.items()
        if inside(module, "sim")
        for function in functions(path)
        if function.returns is None and not compiled(function, path)
        for place in places(path, [function], function.name)
    ]
    assert not untyped


def test_colours_live_in_the_theme() -> None:
    colours = [
        place
        for module, path in MODULES.items()
        if module != "app.theme"
        for place in places(
            path,
            [
                node
                for node in ast.walk(parse(path))
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and HEX_COLOUR.search(node.value)
            ],
        )
    ]
    assert not colours


def test_files_can_be_held_in_mind() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf8").splitlines()) for path in SOURCES}
    assert not {name: size for name, size in sizes.items() if size > MAX_FILE_LINES}


def test_functions_fit_on_a_screen() -> None:
    long = [
        place
        for path in SOURCES
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno >= MAX_FUNCTION_LINES
        for place in places(path, [function], function.name)
    ]
    assert not long


def test_names_say_what_things_are() -> None:
    files = [str(path.relative_to(ROOT)) for path in SOURCES if VAGUE.search(str(path.relative_to(ROOT)))]
    classes = [
        place
        for path in SOURCES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef) and VAGUE.search(node.name)
        for place in places(path, [node], node.name)
    ]
    assert not files + classes


def test_failures_are_caught_by_name() -> None:
    """A broad `except` hides the mistakes of the programmer behind those of the user."""
    broad = [
        place
        for path in SOURCES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ExceptHandler)
        if node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
        for place in places(path, [node])
    ]
    assert not broad

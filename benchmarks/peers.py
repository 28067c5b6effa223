"""The other engines that ours is measured against: which there are, and what is missing here."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform

# id -> (name, module, package, how to get it)
PEERS = {
    "pybullet": ("PyBullet", "pybullet", "pybullet", "`make pybullet` builds it"),
    "mujoco": ("MuJoCo", "mujoco", "mujoco", "`make bench` installs it"),
    "pyqtgraph": ("pyqtgraph", "pyqtgraph", "pyqtgraph", "`make run` installs it"),
    "pinocchio": ("Pinocchio", "pinocchio", "pin", "`make bench` installs it"),
}


def missing(peer: str) -> str:
    """Why this peer cannot be measured here, in a sentence; "" if it can."""
    name, module, _, remedy = PEERS[peer]
    return "" if importlib.util.find_spec(module) else f"{name} is not installed; {remedy}."


def machine() -> str:
    """What the figures depend on, in one line."""
    versions = [f"{name} {_version(package)}" for name, _, package, _ in PEERS.values()]
    versions = [f"NumPy {_version('numpy')}", f"Numba {_version('numba')}", *versions]
    system = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{system}, {', '.join(versions)}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"

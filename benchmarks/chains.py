"""Chains of 10 to 1000 hinged links: time, gap and energy drift beside the peers' free bodies."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.mechanics import Totals, World, joint_gap, start, totals
from benchmarks.mechanisms import LINK_LENGTH, chain, horizontal, nearly_hanging, zigzag
from benchmarks.our_engine import OurWorld
from benchmarks.stopwatch import interleaved, processor_time
from benchmarks.table import Row, at_least, at_most, columns
from sim.backend import Diverged
from sim.model import Model, compile_model

if TYPE_CHECKING:
    from benchmarks.mujoco_engine import FreeBodies

PEERS = ("mujoco", "pybullet")
DT = 1e-3
LENGTHS = (10, 30, 100, 300, 1000)
ROUNDS, ROUND_STEPS = 20, 50  # 1 s; every engine takes the same steps, and is read after every round
SLOWEST = 0.002  # [s] a step: if ours is beyond it, longer chains are not tried

# release -> (start, times faster than each peer). The zigzag is the hard case, as its waves break: only its gap counts.
RELEASES = {
    "horizontal": (horizontal, {"MuJoCo": 3.0, "PyBullet": 10.0}),
    "nearly hanging": (nearly_hanging, {"MuJoCo": 5.0, "PyBullet": 15.0}),
    "hanging zigzag": (zigzag, {}),
}
GAP, DRIFT_RATIO, GROWTH = 1e-8, 1e3, 1.05
# Released from horizontal, Bullet's short chains lose only 12 mJ and 0.5 J in 1 s. Two orders below that is what a
# second-order step of 1 ms has; 1e3 times less would take a third of the step, and then we were not faster.
SHORT_CHAINS = {("horizontal", 10, "PyBullet"): 50.0, ("horizontal", 30, "PyBullet"): 250.0}
CALLS = 1000  # to find the cost of one
SAME_POSE, SAME_ENERGY = 1e-6, 1e-9  # [m], relative

# Bounds are against the first three; RIGID, Bullet's older kind of body, is shown beside them.
OURS, MUJOCO, BULLET, RIGID = "impulse", "MuJoCo", "PyBullet", "PyBullet rigid"
HEADS = ("release", "links", "engine", "µs a step", "gap [m]", f"energy drift in {ROUNDS * ROUND_STEPS * DT:g} s [J]")


@dataclass
class Track:
    """One engine on one chain. Its figures are nan once it is lost."""

    model: Model
    world: World
    times: list[float] = field(default_factory=list)  # [s] a step, by round
    gaps: list[float] = field(default_factory=list)  # [m]
    history: list[Totals] = field(default_factory=list)
    lost: str = ""  # why it could not go on

    def read(self) -> None:
        motion = self.world.motion()
        self.gaps.append(joint_gap(self.model, motion))
        self.history.append(totals(self.model, motion))

    def advance(self, steps: int) -> None:
        if self.lost:
            return
        try:
            self.times.append(processor_time(lambda: self.world.advance(steps)) / steps)
        except Diverged as reason:
            self.lost = f"{reason}."
        else:
            self.read()

    @property
    def step_time(self) -> float:
        return math.nan if self.lost else statistics.median(self.times)

    @property
    def gap(self) -> float:
        return math.nan if self.lost else max(self.gaps)

    @property
    def drift(self) -> float:
        """max |E − E(0)| [J]. Relative to the run's own energies, joints that sag would hide what they lose."""
        energy = np.array([t.kinetic + t.potential for t in self.history])
        return math.nan if self.lost else float(np.abs(energy - energy[0]).max())


def measure() -> Iterator[Row | str]:
    """Times are medians over rounds in which the engines take turns; gap and drift are of the same run."""
    yield _call_costs()
    for release, (pose, faster) in RELEASES.items():
        chains: dict[int, dict[str, Track]] = {}
        apart, energy_error, too_slow = 0.0, 0.0, False
        for links in LENGTHS:
            chains[links] = tracks = _tracks(compile_model(chain(pose(links))))
            if too_slow:
                tracks[OURS].lost = f"{OURS}, {links} links: not tried, a step takes too long on shorter chains"
            apart = max(apart, _start_distance(tracks))
            energy_error = max(energy_error, _energy_error(tracks[MUJOCO]))
            _run(tracks)
            energy_error = max(energy_error, _energy_error(tracks[MUJOCO]))
            too_slow = not tracks[OURS].step_time <= SLOWEST
            for track in tracks.values():
                track.world.close()
        yield _overview(release, chains)
        yield at_most(f"{release}: start poses of the engines apart", apart, SAME_POSE, "m")
        yield at_most(f"{release}: energy as counted here against MuJoCo's own", energy_error, SAME_ENERGY)
        for links, tracks in chains.items():
            yield from _rows(release, links, tracks, faster)
        growth = _exponent({links: tracks[OURS].step_time for links, tracks in chains.items()})
        if faster:
            yield at_most(f"{release}: a step takes as long as links to the power of", growth, GROWTH)
        else:
            yield f"{release}: a step takes as long as links to the power of {growth:.3g}"


def _tracks(model: Model) -> dict[str, Track]:
    from benchmarks import bullet_engine, mujoco_engine

    worlds: dict[str, World] = {
        OURS: OurWorld(model, DT),
        MUJOCO: mujoco_engine.FreeBodies(model, DT),
        BULLET: bullet_engine.FreeBodies(model, DT),
        RIGID: bullet_engine.FreeBodies(model, DT, rigid=True),
    }
    return {name: Track(model, world) for name, world in worlds.items()}


def _run(tracks: dict[str, Track]) -> None:
    for track in tracks.values():
        track.read()
    for _ in range(ROUNDS):
        for track in tracks.values():
            track.advance(ROUND_STEPS)


def _start_distance(tracks: dict[str, Track]) -> float:
    """[m] the farthest that a body starts from its place in the scene."""
    place = start(tracks[OURS].model).position
    return max(float(np.abs(track.world.motion().position - place).max()) for track in tracks.values())


def _energy_error(track: Track) -> float:
    """|T + V as we count it − as MuJoCo does|, relative to weight times length."""
    model, world = track.model, cast("FreeBodies", track.world)
    ours = totals(model, world.motion())
    weight = float(model.body_mass.sum() * np.linalg.norm(model.gravity))
    length = LINK_LENGTH * len(model.body_mass)
    return abs(ours.kinetic + ours.potential - sum(world.energy())) / (weight * length)


def _overview(release: str, chains: dict[int, dict[str, Track]]) -> str:
    """What every engine did, and under it the reasons of those that could not."""
    lines = [
        (release, links, name, 1e6 * track.step_time, track.gap, track.drift)
        for links, tracks in chains.items()
        for name, track in tracks.items()
    ]
    reasons = [track.lost for tracks in chains.values() for track in tracks.values() if track.lost]
    return "\n     ".join([columns(HEADS, lines), *reasons])


def _rows(release: str, links: int, tracks: dict[str, Track], faster: dict[str, float]) -> Iterator[Row]:
    which, ours = f"{release}, {links} links", tracks[OURS]
    yield at_most(f"{which}: gap", ours.gap, GAP, "m")
    for peer, bound in faster.items():
        yield at_least(f"{which}: faster than {peer}", tracks[peer].step_time / ours.step_time, bound, "×")
    for peer in faster:
        bound = SHORT_CHAINS.get((release, links, peer), DRIFT_RATIO)
        yield at_least(f"{which}: less energy drift than {peer}", tracks[peer].drift / ours.drift, bound, "×")


def _exponent(times: dict[int, float]) -> float:
    """Slope of the least-squares line through log time over log links."""
    x, y = np.log(list(times)), np.log(list(times.values()))
    return float((x - x.mean()) @ (y - y.mean()) / ((x - x.mean()) @ (x - x.mean())))


def _call_costs() -> str:
    """What a call costs without any step; the times below contain it."""
    from benchmarks import bullet_engine, mujoco_engine

    model = compile_model(chain(horizontal(LENGTHS[0])))
    OurWorld(model, DT).advance(1)  # compiles
    calls: dict[str, Callable[[], None]] = {
        OURS: partial(OurWorld(model, DT).advance, 0),
        MUJOCO: partial(mujoco_engine.FreeBodies(model, DT).advance, 0),
        BULLET: bullet_engine.step_of_nothing(),
    }
    costs = interleaved({name: partial(_repeat, call) for name, call in calls.items()}, 9)
    often = {OURS: f"{ROUND_STEPS} steps", MUJOCO: f"{ROUND_STEPS} steps", BULLET: "every step"}
    return columns(("engine", "called for", "µs a call"), [(n, often[n], 1e6 * t / CALLS) for n, t in costs.items()])


def _repeat(call: Callable[[], None]) -> None:
    for _ in range(CALLS):
        call()

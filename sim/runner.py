"""The physics thread: clock, commands in, snapshots and events out.

`send` puts a command into a queue that the thread drains between two steps. `latest` is an immutable
Snapshot, replaced by one reference assignment. Nothing here blocks the caller, and no lock is held while
stepping.
"""

from __future__ import annotations

import math
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sim.backend import BackendError, Diverged
from sim.clock import Clock
from sim.command import (
    Applied,
    Busy,
    Command,
    Compare,
    Event,
    GoTo,
    Loaded,
    LoadScene,
    Play,
    Record,
    Refused,
    Reset,
    SetBackend,
    SetIntegrator,
    SetSolver,
    SetSpeed,
    SetStabilisation,
    SetTolerance,
    StepBack,
    StepOnce,
    Stopped,
    TellRun,
    WatchCauses,
    WatchForces,
)
from sim.scene import Scene, SceneError
from sim.state import Snapshot

if TYPE_CHECKING:
    from sim.companions import Companions
    from sim.comparison import Course
    from sim.history import History
    from sim.rewind import Rewind
    from sim.simulation import Simulation

PERIOD = 0.004  # [s] between two wakes while running
BUDGET = 0.012  # [s] of stepping at a time, so that commands are never kept waiting
SPEEDS = (1.0 / 64.0, 64.0)


class Runner:
    """Runs a scene in a thread of its own until `stop`."""

    def __init__(self, scene: Scene, running: bool = True) -> None:
        self.latest: Snapshot | None = None
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.frames: queue.SimpleQueue[Snapshot] = queue.SimpleQueue()
        self.frames_done = 0  # of the recording at hand; who draws the frames counts them here
        self.history: History | None = None
        self.course: Course | None = None  # while engines are compared
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._simulation: Simulation | None = None
        self._rewind: Rewind | None = None
        self._beside: Companions | None = None
        self._scene_id = 0
        self._running = running
        self._speed = 1.0
        self._clock = Clock()
        self._frame_period: float | None = None
        self._next_frame = 0.0
        self._frames_offered = self._most_waiting = 0
        self._watches_forces = self._watches_causes = False
        self._step_times: deque[float] = deque(maxlen=31)
        self._scene = scene
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins a thread, or after `stop` another one that goes on with the same world."""
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)
        self._thread.start()

    def send(self, command: Command) -> None:
        self._commands.put(command)

    def stop(self) -> None:
        """Ends the thread after the steps at hand; returns when it is gone. The world stays as it is."""
        if self._thread is not None:
            self._commands.put(None)
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """Ends the thread for good and frees the engine."""
        self.stop()
        if self._beside:
            self._beside.close()
        if self._simulation:
            self._simulation.close()

    # On the physics thread

    def _run(self) -> None:
        if self._simulation is None:
            self._do(LoadScene(self._scene))
        self._restart_clock()
        while self._obey():
            self._take_steps()

    def _obey(self) -> bool:
        """Carries out what was sent, waiting for it at most until the next steps are due; False at the end."""
        idle = not self._running or self._simulation is None
        timeout = None if idle else 0.0 if self._clock.behind else PERIOD
        try:
            while self._do(self._commands.get(timeout=timeout)):
                timeout = 0.0
        except queue.Empty:
            return True
        return False

    def _do(self, command: Command | None) -> bool:
        if command is None:
            return False
        try:
            handler = _HANDLERS.get(type(command))
            if handler is None and self._simulation is None:
                raise ValueError("No scene is running yet.")
            if handler:
                inverse = handler(self, command)
            else:
                assert self._simulation is not None
                if isinstance(command, _NEW_ENGINES):
                    self._prepare(command, self._simulation)
                inverse = self._simulation.apply(command)
                if self._rewind:
                    self._rewind.change(command)
                if self._beside:
                    self._beside.hear(self._simulation, command)
        except (SceneError, BackendError, Diverged, ValueError) as error:
            self.events.put(Refused(command, str(error)))
            return True
        self._publish()
        self.events.put(Applied(self._simulation.step_count if self._simulation else 0, command, inverse))
        return True

    def _load(self, command: LoadScene) -> Command | None:
        from sim.journal import Journal
        from sim.rewind import Rewind
        from sim.simulation import Simulation

        self.events.put(Busy(f'Preparing "{command.scene.title}"…'))
        try:
            fresh = Simulation(command.scene)
            fresh.explain(self._watches_causes)
            for setting in command.settings:
                fresh.apply(setting)
            fresh.step(1)  # whatever has to be compiled is compiled before the swap
            fresh.apply(Reset())
        finally:
            self.events.put(Busy(""))
        old, self._simulation, self._rewind = self._simulation, fresh, Rewind(fresh, Journal(fresh))
        self._scene_id += 1
        self._restart_clock()
        self._next_frame = 0.0
        if self._beside is None:
            from sim.companions import Companions

            self._beside = Companions(self.events.put)
        self._beside.enter(fresh)
        self._publish()
        self.events.put(Loaded(command.scene, self._scene_id))
        if old is None:
            return None
        old.close()
        return LoadScene(old.scene)

    def _prepare(self, command: Command, world: Simulation) -> None:
        """Compiles what a changed engine needs with a step of a world beside this one, saying so."""
        from sim.simulation import Simulation

        self.events.put(Busy("Preparing the engine…"))
        try:
            beside = Simulation(world.scene, world.backend_name, world.dt)
            try:
                beside.apply(command)
                beside.step(1)
            except Diverged:
                pass  # from the start; this world is elsewhere
            finally:
                beside.close()
        finally:
            self.events.put(Busy(""))

    def _play(self, command: Play) -> Command:
        inverse = Play(self._running)
        self._running = command.running
        self._restart_clock()
        return inverse

    def _step_once(self, command: StepOnce) -> None:
        self._running = False
        left = command.count
        while left > 0 and (taken := self._step(left)):
            left -= taken

    def _travel(self, command: StepBack | GoTo) -> None:
        """Wherever the world is afterwards, the clock and the others go there."""
        self._running = False
        if self._rewind is None or self._simulation is None:
            return
        try:
            if isinstance(command, StepBack):
                self._rewind.back(command.count)
            else:
                self._rewind.go_to(command.time)
        finally:
            self._restart_clock()
            if self._beside:
                self._beside.jump(self._simulation)

    def _compare(self, command: Compare | SetTolerance) -> Command:
        if self._beside is None or self._simulation is None:
            raise ValueError("No scene is running yet.")
        if isinstance(command, SetTolerance):
            return self._beside.set_tolerance(command)
        return self._beside.compare(self._simulation, command)

    def _set_speed(self, command: SetSpeed) -> Command:
        low, high = SPEEDS
        if not low <= command.speed <= high:
            raise ValueError(f"The speed must be between 1/{1 / low:.0f} and {high:.0f}, not {command.speed:g}.")
        inverse = SetSpeed(self._speed)
        self._speed = command.speed
        self._restart_clock()
        return inverse

    def _record(self, command: Record) -> None:
        if command.fps is None:
            self._frame_period = None
            return
        if not command.fps > 0:
            raise ValueError(f"The frame rate must be positive, not {command.fps:g}.")
        self._frame_period, self._most_waiting = 1.0 / command.fps, command.most_waiting
        self._frames_offered = 0
        self._next_frame = self._simulation.time if self._simulation else 0.0
        self._offer_frame()

    def _watch_forces(self, command: WatchForces) -> None:
        """The first snapshot with forces may have to wait for the compiler."""
        self._watches_forces = command.on
        if command.on and self._simulation:
            self.events.put(Busy("Preparing the forces…"))
            self._publish()
            self.events.put(Busy(""))

    def _watch_causes(self, command: WatchCauses) -> None:
        self._watches_causes = command.on
        if self._simulation:
            self.events.put(Busy("Preparing the causes…" if command.on else ""))
            self._simulation.explain(command.on)
            self.events.put(Busy(""))

    def _tell_run(self, command: TellRun) -> None:
        if self._rewind is None or self._rewind.journal is None:
            raise ValueError("No scene is running yet.")
        self.events.put(self._rewind.journal.tell(command))

    def _take_steps(self) -> None:
        """The steps the clock owes, at most BUDGET long; then a new snapshot."""
        simulation = self._simulation
        if not self._running or simulation is None:
            return
        owed = self._clock.owed(simulation.time, self._speed, simulation.dt)
        begin, done = time.perf_counter(), 0
        start = time.thread_time()
        while done < owed and (left := BUDGET - (time.perf_counter() - begin)) > 0:
            if self._waits_for_frames():
                owed = done  # let go, as of a scene that is too slow
                break
            taken = self._step(min(owed - done, self._affordable(left)))
            if not taken:
                break
            done += taken
        if done:
            self._step_times.append((time.thread_time() - start) / done)
            self._publish()
        self._clock.settle(simulation.time, self._speed, behind=done < owed)

    def _waits_for_frames(self) -> bool:
        """Drawing a film is far behind: none of its frames may be lost, and no memory holds them all."""
        waiting = self._frames_offered - self.frames_done
        return self._frame_period is not None and waiting >= self._most_waiting

    def _affordable(self, seconds: float) -> int:
        """How many steps surely fit at once, by the slowest of late; one as long as nothing is known."""
        return max(1, int(0.5 * seconds / max(self._step_times, default=math.inf)))

    def _step(self, most: int) -> int:
        """Takes steps, no further than the next frame of a recording; returns how many, 0 where the world stopped."""
        simulation = self._simulation
        if simulation is None:
            return 0
        assert self._rewind
        self._rewind.note()
        before, start = simulation.step_count, time.thread_time()
        try:
            simulation.step(min(most, self._steps_to_frame()))
        except Diverged as error:
            self._running = False
            self._rewind.fail()
            self._follow(start)
            self._publish()
            self.events.put(Stopped(f"Stopped at t = {simulation.time:.3f} s: {error}."))
            return 0
        self._follow(start)
        self._offer_frame()
        return simulation.step_count - before

    def _follow(self, start: float) -> None:
        """Others take the steps too that the world has taken since the thread had used `start` seconds."""
        if self._beside:
            self._beside.follow(time.thread_time() - start)

    def _steps_to_frame(self) -> int:
        """Until `_offer_frame` has something to offer."""
        simulation = self._simulation
        if self._frame_period is None or simulation is None:
            return sys.maxsize
        return max(1, math.ceil((self._next_frame - simulation.time) / simulation.dt - 0.5 - 1e-9))

    def _offer_frame(self) -> None:
        """While recording: the snapshot nearest to every multiple of the frame period."""
        simulation = self._simulation
        if self._frame_period is None or simulation is None:
            return
        if simulation.time + 0.5 * simulation.dt >= self._next_frame:
            self.frames.put(self._snapshot())
            self._frames_offered += 1
            self._next_frame += self._frame_period

    def _restart_clock(self) -> None:
        if self._simulation:
            self._clock.restart(self._simulation.time)

    def _publish(self) -> None:
        if self._simulation:
            self.history = self._simulation.history
            self.course = self._beside.course if self._beside else None
            self.latest = self._snapshot()

    def _snapshot(self) -> Snapshot:
        assert self._simulation is not None
        times = sorted(self._step_times)
        snapshot = replace(
            self._simulation.snapshot(self._scene_id, self._watches_forces),
            running=self._running,
            reach=self._rewind.reach if self._rewind else (0.0, 0.0),
            speed=self._speed,
            real_time_factor=self._clock.factor if self._running else 0.0,
            step_time=times[len(times) // 2] if times else 0.0,
        )
        return self._beside.enrich(snapshot) if self._beside else snapshot


_NEW_ENGINES = (SetBackend, SetIntegrator, SetSolver, SetStabilisation)

_HANDLERS: dict[type[Command], Callable[[Runner, Any], Command | None]] = {
    LoadScene: Runner._load,
    Play: Runner._play,
    StepOnce: Runner._step_once,
    StepBack: Runner._travel,
    GoTo: Runner._travel,
    SetSpeed: Runner._set_speed,
    Record: Runner._record,
    WatchForces: Runner._watch_forces,
    WatchCauses: Runner._watch_causes,
    TellRun: Runner._tell_run,
    Compare: Runner._compare,
    SetTolerance: Runner._compare,
}

"""What the start made is out of the collector's way, once, from the first world on."""

from __future__ import annotations

import gc

import pytest

from app.garbage import spare_the_start
from app.session import Session
from app.stage import load_stage
from sim.command import LoadScene
from tests.app.window_bench import StillRunner


@pytest.fixture
def session(qapp):
    gc.unfreeze()
    session = Session(load_stage("arm_reach"), StillRunner)
    yield session
    session.stop()
    gc.unfreeze()


def test_a_full_collection_looks_through_what_came_after_the_start(session):
    before = len(gc.get_objects())
    spare_the_start(session)
    session.start()
    assert gc.get_freeze_count() == 0
    session.poll()
    assert gc.get_freeze_count() > 0.9 * before
    assert len(gc.get_objects()) < 0.1 * before


def test_later_scenes_stay_garbage(session):
    spare_the_start(session)
    session.start()
    session.poll()
    spared = gc.get_freeze_count()
    session.send(LoadScene(load_stage("four_bar").scene))
    session.poll()
    assert session.stage.scene.name == "four_bar" and gc.get_freeze_count() <= spared

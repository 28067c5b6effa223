"""No window of a test is left for the next."""

from __future__ import annotations

import pytest
from PyQt6 import sip

from app.window import Window
from tests.app.window_bench import Bench

closed: list[Window] = []


@pytest.mark.parametrize("turn", range(3))
def test_windows_of_earlier_tests_are_gone(qtbot, tmp_path, turn):
    assert all(sip.isdeleted(window) for window in closed)
    bench = Bench(qtbot, tmp_path)
    bench.close()
    assert not sip.isdeleted(bench.window)
    closed.append(bench.window)

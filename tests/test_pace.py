from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from vit_pad.pace import Pace


def test_many_wishes_are_one_act_and_the_next_wish_another(qtbot: QtBot) -> None:
    owner = QObject()
    acts: list[None] = []
    pace = Pace(20, lambda: acts.append(None), owner)
    for _ in range(2):
        acts.clear()
        with qtbot.waitSignal(pace.timeout):
            for _ in range(10):
                pace.ask()
            assert acts == []
        assert len(acts) == 1
        assert not pace.isActive()


def test_acting_now_leaves_nothing_to_be_done_later(qtbot: QtBot) -> None:
    owner = QObject()
    acts: list[None] = []
    pace = Pace(20, lambda: acts.append(None), owner)
    pace.ask()
    pace.act_now()
    assert len(acts) == 1
    assert not pace.isActive()

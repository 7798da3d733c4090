# SPDX-License-Identifier: BSD-3-Clause
"""What the trials themselves say about their lives: chain_trial.sh appends it to a file that no
part of tune-node knows."""
from collections import Counter, namedtuple
from pathlib import Path

TRIAL = Path(__file__).with_name("chain_trial.sh")

# `what` is the iteration, or the control group on lines of the word "group".
Line = namedtuple("Line", "word trial attempt what pid")


def chain(start, place):
    """The number that chain_trial.sh reports at an iteration."""
    for _ in range(place):
        start = start * 48271 % 2147483647
    return start


class ChainLog:
    """The file, as far as it is written. The trials' locks lie beside it."""

    def __init__(self, path):
        self.path = path

    def lines(self, *words):
        """Lines that begin with one of these words; without words all lines."""
        text = self.path.read_text() if self.path.exists() else ""
        whole = [x.split() for x in text.splitlines()]
        found = [Line(x[0], int(x[1]), x[2], x[3], int(x[4])) for x in whole]
        return [x for x in found if not words or x.word in words]

    def begun_twice(self):
        """Attempts that more than one process began."""
        begun = Counter((x.trial, x.attempt) for x in self.lines("begin"))
        return sorted(x for x, count in begun.items() if count > 1)

    def trained_beside(self):
        """Processes that met another process of their trial in the same directory."""
        return self.lines("beside")

    def trained_on(self):
        """Steps of attempts that had been given up. One step may be under way while the next
        attempt begins elsewhere, and one answer on its way; any further step means that two attempts
        were served."""
        newest, late = {}, Counter()
        for x in self.lines("begin", "step"):
            number = tuple(map(int, x.attempt.split(".")))
            newest[x.trial] = max(newest.get(x.trial, number), number)
            if x.word == "step" and newest[x.trial] != number:
                late[x.trial, x.attempt] += 1
        return sorted(x for x, count in late.items() if count > 1)

    def answered(self):
        """Reports that the head has answered: trial, attempt, iteration."""
        return {(x.trial, x.attempt, int(x.what)) for x in self.lines("heard")}

    def stepped(self):
        """Iterations that were begun: trial, attempt, iteration."""
        return {(x.trial, x.attempt, int(x.what)) for x in self.lines("step")}

    def groups(self):
        """Control groups that trials were in."""
        return {x.what for x in self.lines("group")}

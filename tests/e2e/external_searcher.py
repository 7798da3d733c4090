#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The random searcher of the examples with faults at given questions, each of them once.

usage: external_searcher.py MARKS [WAY:QUESTION...]

MARKS is a directory for notes of what has happened: a fault leaves a file of its name, and a
question that waits goes on once there is a file "go". Ways: die (KILL), leave (exit status 3),
stray (a line that is not of the protocol), wrong (a value beyond its range), wait (until told to
go on), never (no fault: the searcher has no more), idle (nothing now), hang.
"""
import os
import signal
import sys
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "external"
sys.path.insert(0, str(EXAMPLES))
import random_searcher  # noqa: E402
import tune_searcher  # noqa: E402


ANSWERS = {
    "wrong": {"x": 99, "y": 1}, "never": tune_searcher.NONE, "idle": tune_searcher.WAIT,
}


class Faulty(random_searcher.Searcher):
    def __init__(self, begin, marks, faults, out):
        super().__init__(begin, 0.5)
        self.marks, self.faults, self.out = marks, faults, out

    def suggest(self, id):
        for way, at in self.faults:
            mark = self.marks / ("%s-%d" % (way, id))
            if at in (id, 0) and (at == 0 or not mark.exists()):
                mark.touch()
                getattr(self, way)(id)
                if way in ANSWERS:
                    return ANSWERS[way]
        return super().suggest(id)

    def die(self, id):
        print("dying at %d" % id, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self, id):
        print("no module named bayes", flush=True)
        os._exit(3)

    def stray(self, id):
        self.out.write("Hello, world\n")
        self.out.flush()

    def wait(self, id):
        while not (self.marks / "go").exists():
            time.sleep(0.01)

    def hang(self, id):
        time.sleep(10000)

    def wrong(self, id):
        pass

    never = idle = wrong


def main():
    marks = Path(sys.argv[1])
    faults = [(way, int(at)) for way, at in (word.split(":") for word in sys.argv[2:])]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    tune_searcher.serve(lambda begin: Faulty(begin, marks, faults, out), out=out)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Heads that die, whose trials at workers do not."""
import signal
import socket
import sys
from collections import Counter
from pathlib import Path

from cluster import Cluster

TRIAL = Path(__file__).with_name("lasting_trial.py")
WORKERS = ("one", "two", "three")

SCHEDULERS = {
    "fifo": "",
    "asha": "type = asha\nform = promotion\ngrace_period = 2\nreduction_factor = 3\nmax_t = 18\n",
    "stopping": "type = asha\ngrace_period = 4\nreduction_factor = 2\nmax_t = 1000\n",
    "pbt": "type = pbt\ntime_attr = training_iteration\nperturbation_interval = 4\n",
    "hyperband": "type = hyperband\nmax_t = 9\nreduction_factor = 3\n",
}


class Lasting(Cluster):
    """What trials themselves noted is compared with the record."""

    def setUp(self):
        super().setUp()
        self.log = self.directory / "trained.log"
        self.log.touch()
        # The address is part of what the heads of one experiment have in common.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.heads = 0
        self.workers = {}

    def place(self):
        return "%s:%d" % (self.address(), self.port)

    # -- What runs.

    def lasting(self, scheduler="fifo", name="x", samples=6, steps=18, pause=0.1, more="", size=0,
                note=0):
        """The file of an experiment, whose command is a file beside it, which travels with it.
        `size`: bytes of a checkpoint, at least; `note`: those of a text in each report."""
        rule = SCHEDULERS[scheduler]
        begin = self.directory / "begin.sh"
        begin.write_text('#!/bin/sh\nexec "$@"\n')
        begin.chmod(0o755)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 11\n"
            "[trainable]\ncommand = ./begin.sh %s %s %d %s %g %d %d\n[space]\nlr = uniform(0.01, 0.5)\n"
            "[failure]\nbackoff = 0\n%s[cluster]\nlocal = false\nlost_after = 3s\n%s\n"
            % (samples, sys.executable, TRIAL, steps, self.directory, pause, size, note,
               "[scheduler]\n" + rule if rule else "", more),
            name + ".ini",
        )

    def begin_head(self, *words, what="experiments may come"):
        """Starts a head at the port of the one before. Returns it and its address."""
        self.heads += 1
        log = "head-%d.log" % self.heads
        of = "--" if words[0] == "head" else "--cluster."
        head = self.start_on(
            *("head", log, *words, of + "listen", self.place()),
            *(of + "certs", self.certs)
        )
        self.head_log = self.directory / log
        self.wait_until(lambda: self.says(log, what), head, "an open port")
        return head, self.place()

    def standing(self, grace="60s", *more):
        """Starts a standing head. `grace`: empty for the usual one."""
        words = ("--head-grace", grace) if grace else ()
        return self.begin_head(
            *("head", "--storage", self.directory / "results", "--no-local", "--lost-after", "3s"),
            *("--work", self.directory / "work-head", *words, *more)
        )

    def begin_workers(self, where, *words, names=WORKERS, cpus=1):
        for name in names:
            self.workers[name] = self.worker(where, name, "--lost-after", "3s", *words, cpus=cpus)

    def kill(self, head):
        head.kill()
        self.finish(head, None)

    # -- What came of it.

    def lines(self):
        return [line.split() for line in self.log.read_text().splitlines()]

    def trained(self):
        """Steps by trial, attempt and iteration."""
        return Counter((int(x[1]), x[2], int(x[3])) for x in self.lines() if x[0] == "step")

    def is_over(self, name="x"):
        rows = self.rows_if_any("SELECT status FROM experiment", name)
        return bool(rows) and rows[0]["status"] not in ("running", None)

    def check(self, name="x", ends=("finished", "stopped", "paused")):
        """Checks that nothing was lost, doubled or begun again."""
        self.assertEqual(self.rows("SELECT status FROM experiment", name)[0]["status"], "done")
        # A launch that was on its way as the head died is given up before anything began.
        attempts = self.rows(
            "SELECT * FROM attempts WHERE detail IS NULL OR detail NOT LIKE '%had not reached node%'"
            " ORDER BY started", name
        )
        odd = [row for row in attempts if row["end_class"] not in ends]
        self.assertEqual(odd, [])
        begun = Counter((int(x[1]), x[2]) for x in self.lines() if x[0] == "begin")
        self.assertEqual([x for x, count in begun.items() if count > 1], [])
        self.assertEqual(set(begun), {(row["trial"], row["attempt"]) for row in attempts})
        results = self.rows("SELECT * FROM results ORDER BY seq", name)
        heard = Counter((x["trial"], x["attempt"], x["training_iteration"]) for x in results)
        self.assertEqual(heard, self.trained())
        places = Counter((x["trial"], x["lineage"], x["training_iteration"]) for x in results)
        self.assertEqual([x for x, count in places.items() if count > 1], [])
        self.run_node("fsck", "results/" + name, "--verify")

    def check_output(self, name="x"):
        """Checks that all that the trials printed is there once."""
        printed = {}
        for word, trial, _, iteration, _ in self.lines():
            lines = printed.setdefault(int(trial), [])
            if word == "begin":
                lines.append("begins at " + iteration)
            elif word == "step":
                lines.append("step " + iteration)
        for trial, lines in printed.items():
            text = self.trial_file(trial, "stdout", name).read_text()
            self.assertEqual(text.splitlines(), lines, trial)

    def put_away(self):
        for worker in self.workers.values():
            worker.terminate()
        for worker in self.workers.values():
            self.finish(worker, None)
        self.assert_no_trial_processes()

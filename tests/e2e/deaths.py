# SPDX-License-Identifier: BSD-3-Clause
"""Kills heads, workers and their guards in every order while trials run that have descendants of
every kind: nothing of them may be left within the grace time, or after the next start where
docs/command-protocol.md says so.

  deaths.py SEED [ORDERS]

goes through all orders of one to four deaths, or the first ORDERS of them, and prints a line of
JSON. The seed decides the times between the deaths. A failure prints its order.
"""
import itertools
import json
import os
import random
import shutil
import signal
import sys
import time
import unittest
from pathlib import Path

from cluster import Cluster
from e2e import MARK, name_of, parent_of, processes_of

TRIAL = Path(__file__).with_name("family_trial.sh")

# Seconds between TERM and KILL, and the time that killing itself may take beyond that (promise 6).
GRACE = 0.5
SLACK = 1.0

# The possible victims: the two nodes and their guards.
ALL = ("head", "head's guard", "worker", "worker's guard")

# Attempts that run and have reported.
REPORTING = "SELECT attempt FROM attempts JOIN results USING (attempt) WHERE ended IS NULL"

# In each pair, one cleans up after the other unless both are killed.
NODES = {"head": "head's guard", "worker": "worker's guard"}


def orders(least=1, most=len(ALL), among=ALL):
    """All orders in which `least` to `most` of them can die."""
    return [x for n in range(least, most + 1) for x in itertools.permutations(among, n)]


def attempt_of(pid):
    """The attempt that a process belongs to; None if the process is gone."""
    try:
        for entry in Path("/proc", str(pid), "environ").read_bytes().split(b"\0"):
            if entry.startswith(MARK):
                return entry
    except OSError:
        pass
    return None


class Deaths(Cluster):
    """Plays one order; `conduct` does it all."""

    slack = SLACK

    def family_ini(self):
        shutil.copy(TRIAL, self.directory / "family.sh")
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 2\n"
            '[trainable]\ncommand = ./family.sh "%s"\n[space]\nx = 1\n'
            "[failure]\nbackoff = 0\n[cluster]\ncpus = 1\npolicy = spread\nkill_grace = %dms\n"
            % (self.gate, 1000 * GRACE)
        )

    def guard_of(self, node):
        """The present guard of a node; None if it has none."""
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if name_of(entry.name) == "tune-guard" and parent_of(entry.name) == node.pid:
                    return int(entry.name)
            except OSError:
                pass
        return None

    def families(self):
        """Processes by attempt."""
        found = {}
        for pid in processes_of(self.directory):
            attempt = attempt_of(pid)
            if attempt:
                found.setdefault(attempt, []).append(pid)
        return found

    def begin(self):
        head, where = self.head(self.family_ini())
        self.port = int(where.rsplit(":", 1)[1])
        self.nodes = {"head": head, "worker": self.worker(where, "one")}
        self.wait_for_attempts(2, head)
        # Both attempts with all their descendants.
        self.wait_until(
            lambda: [len(x) >= 5 for x in self.families().values()] == [True, True],
            head, "two families",
        )
        self.before = set(self.families())
        self.guards = {NODES[name]: self.guard_of(x) for name, x in self.nodes.items()}

    def kill(self, whom):
        if whom in self.nodes:
            self.nodes[whom].kill()
            return
        # If its node died before, it may be gone by itself.
        try:
            if name_of(self.guards[whom]) == "tune-guard":
                signal.pidfd_send_signal(self.descriptors[whom], signal.SIGKILL)
        except OSError:
            pass

    def kill_all(self, order, chance):
        self.descriptors = {name: os.pidfd_open(pid) for name, pid in self.guards.items()}
        for i, whom in enumerate(order):
            self.kill(whom)
            # Immediately, during the cleaning up, or when that must be finished.
            how = chance.randrange(3)
            if how == 1:
                time.sleep(chance.uniform(0, GRACE))
            elif how == 2:
                self.wait_for_end_of(self.who_must_go(order[: i + 1]))
        for descriptor in self.descriptors.values():
            os.close(descriptor)
        for name, node in self.nodes.items():
            if name in order:
                self.finish(node, None)

    @staticmethod
    def node_of(attempt):
        return "worker" if b"/work-one/" in attempt else "head"

    def who_must_go(self, order):
        """Attempts that must be gone without another start: those whose node, guard or head died,
        except where both the node and its guard died."""
        gone = set()
        for attempt in self.before:
            both = {self.node_of(attempt), NODES[self.node_of(attempt)]}
            if (both | {"head"}) & set(order) and not both <= set(order):
                gone.add(attempt)
        return gone

    def who_may_stay(self, order):
        """Attempts of which something may be left until the next start."""
        both = [node for node, guard in NODES.items() if node in order and guard in order]
        return {attempt for attempt in self.before if self.node_of(attempt) in both}

    def wait_for_end_of(self, attempts):
        """Waits until the attempts are gone; fails if that takes too long. @returns the time it
        took."""
        began = time.monotonic()
        while attempts & set(self.families()):
            if time.monotonic() - began > GRACE + self.slack:
                self.fail("left: %s" % self.shown(attempts))
            time.sleep(0.01)
        return time.monotonic() - began

    def shown(self, attempts):
        lines = []
        for attempt, pids in self.families().items():
            for pid in pids if attempt in attempts else []:
                try:
                    words = Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ")
                    lines.append("%d, child of %d: %s of %s" % (pid, parent_of(pid), words, attempt))
                except OSError:
                    pass
        return "\n".join(lines)

    def start_again(self, order):
        where = "127.0.0.1:%d" % self.port
        if "head" in order:
            ini = self.directory / "x.ini"
            self.nodes["head"], where = self.head(ini, "--resume", port=self.port)
        if "worker" in order:
            self.nodes["worker"] = self.worker(where, "one")

    def conduct(self, order, seed):
        """@returns seconds until all that had to go was gone, and the attempts left to the next
        start."""
        self.begin()
        self.kill_all(order, random.Random("%d %s" % (seed, order)))
        took = self.wait_for_end_of(self.who_must_go(order))
        stayed = self.who_may_stay(order) & set(self.families())
        self.start_again(order)
        self.wait_until(
            lambda: len(self.rows(REPORTING)) == 2, self.nodes["head"], "two trials that run"
        )
        # The sweep comes before the first trial.
        over = self.rows("SELECT attempt FROM attempts WHERE ended IS NOT NULL")
        over = {("#" + row["attempt"]).encode() for row in over}
        self.wait_for_end_of({x for x in self.before if x[x.rindex(b"#"):] in over})
        self.open_gate()
        self.finish(self.nodes["head"])
        self.nodes["worker"].terminate()
        self.finish(self.nodes["worker"])
        self.wait_for_end_of(self.before)
        self.assert_no_trial_processes()
        self.assertEqual(
            [row["status"] for row in self.rows("SELECT status FROM trials")], ["TERMINATED"] * 2
        )
        return took, len(stayed)


def run(seed, most):
    """Plays all orders outside of a suite. @returns whether there were no findings."""
    told = {"campaign": "deaths", "seed": seed, "orders": 0, "findings": 0}
    times, stayed = [], []
    for order in orders()[:most]:

        class One(Deaths):
            def runTest(self, order=order):
                took, left = self.conduct(order, seed)
                times.append(took)
                stayed.append(left)

        ran = unittest.TestResult()
        One().run(ran)
        told["orders"] += 1
        for _, text in ran.errors + ran.failures:
            told["findings"] += 1
            print("deaths: seed %d, order %s\n%s" % (seed, " ".join(order), text), file=sys.stderr)
    told["slowest_end_s"] = round(max(times, default=0), 2)
    told["left_to_next_start"] = sum(stayed)
    print(json.dumps(told), flush=True)
    return told["findings"] == 0


if __name__ == "__main__":
    sys.exit(0 if run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None) else 1)

# SPDX-License-Identifier: BSD-3-Clause
"""A head and its workers on a machine that has no time for them: whoever is late is not dead.

    overload.py SEED [TRIALS] [REPORTS_PER_SECOND]

keeps all processors busy with programs that are nicer than ours, and has 2000 trials report 1000
times a second meanwhile, on the head and on two workers. Prints one line of JSON. In the end every
trial must have ended at its first attempt, every report must be there once, no node may have been
lost, the record must be whole, and the head's memory must be flat: in the last quarter of the run it
may not need more than in the second, but for SQLite's caches of the database, which have a bound,
and what is kept of trials that have ended. A failure prints its seed.
"""
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import unittest
from pathlib import Path

from cluster import Cluster
from e2e import FAULTY_NODE

WORKERS = ("one", "two")
# Number of trials at a time on each of the three nodes.
SLOTS = 12
# Number of reports per trial.
STEPS = 30
# Silence after which a node is lost: the default [s].
LOST_AFTER = 10
# Additional memory that the head may need in the last quarter compared with the second: room for
# the allocator, and some 200 bytes for each trial that ended meanwhile [bytes].
SPARE = 8 << 20
SPARE_OF_TRIAL = 1 << 10
# Upper bound of SQLite's caches in the head, of the writer and of readers; they also hold no more
# than the database has [bytes].
MOST_CACHED = 20 << 20

BUSY = "while True: pass"

INI = """[experiment]
metric = loss
mode = min
num_samples = %d
seed = %d
[trainable]
name = keeps_pace
isolation = thread
[space]
x = uniform(0, 1)
steps = %d
pause_ms = %g
[failure]
backoff = 0
"""


def resident(pid):
    """Resident memory of a process [bytes]."""
    pages = int(Path("/proc", str(pid), "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def cached(directory):
    """Upper bound of the caches of an experiment's database [bytes]."""
    files = (directory / ("experiment.db" + x) for x in ("", "-wal"))
    return min(sum(x.stat().st_size for x in files), MOST_CACHED)


class Observer(threading.Thread):
    """Asks a running experiment for its status again and again, and observes its head's memory."""

    def __init__(self, pid, where):
        super().__init__(daemon=True)
        self.pid, self.where = pid, where
        # Memory of the head, and how much of it may be cache.
        self.memory, self.longest, self.answers = [], 0.0, 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.2):
            try:
                self.memory.append((resident(self.pid), cached(self.where)))
                self.ask()
            except OSError:
                # Before the beginning or after the end.
                continue

    def ask(self):
        began = time.monotonic()
        with socket.socket(socket.AF_UNIX) as to:
            to.settimeout(60)
            to.connect(str(self.where / ".control/socket"))
            to.sendall(b'{"op":"status"}\n')
            if to.recv(1 << 16):
                self.answers += 1
                self.longest = max(self.longest, time.monotonic() - began)

    def stop(self):
        self.over.set()
        self.join()


class Overload(Cluster):
    """`conduct` does it all."""

    def start_on(self, node, log, *words):
        del node
        with open(self.directory / log, "w", encoding="utf-8") as err:
            return self.start(
                "--pdeathsig", "KILL", FAULTY_NODE, *words, program="setpriv", stderr=err
            )

    def start_load(self):
        """Starts enough busy programs to overload two processors or more."""
        for _ in range(2 * len(os.sched_getaffinity(0))):
            self.start(
                *("--pdeathsig", "KILL", "nice", "-n", 5, sys.executable, "-c", BUSY),
                program="setpriv"
            )

    def start_cluster(self):
        limit = ("--lost-after", LOST_AFTER)
        self.node = self.start_on(
            *("head", "head.log", "head", "--listen", "127.0.0.1:0", "--certs", self.certs),
            *("--storage", self.directory / "results", "--cpus", SLOTS, *limit),
            *("--work", self.directory / "work-head")
        )
        self.wait_until(lambda: self.says("head.log", "experiments may come"), self.node, "a port")
        where = re.search(r"--head (\S+)", self.head_log()).group(1)
        self.workers = [self.worker(where, name, *limit, cpus=SLOTS) for name in WORKERS]
        for name in WORKERS:
            self.wait_until(lambda x=name: self.says(x + ".log", "joined"), self.node, "a worker")
        return where

    def head_log(self):
        return (self.directory / "head.log").read_text()

    def stop_cluster(self):
        for who in (*self.workers, self.node):
            who.send_signal(signal.SIGTERM)
            self.finish(who)

    def silences(self):
        """The longest silence of each worker [ms], according to its head."""
        pattern = r"worker (\S+) is gone: it left; silent for (\d+) ms at most, of %d"
        return dict(re.findall(pattern % (1000 * LOST_AFTER), self.head_log()))

    def conduct(self, seed, trials, per_second, steps=STEPS, load=True):
        """@returns the figures."""
        pause_ms = 1000 * SLOTS * (1 + len(WORKERS)) / per_second
        ini = self.ini(INI % (trials, seed, steps, pause_ms))
        where = self.start_cluster()
        if load:
            self.start_load()
        watch = Observer(self.node.pid, self.directory / "results/x")
        watch.start()
        began = time.monotonic()
        client = self.start(
            *("run", ini, "--head", where, "--certs", self.certs, "-o", "json", "--quiet"),
            program=FAULTY_NODE
        )
        # A deadline of its own, for a program that hangs.
        end = began + 60 + 20 * trials * steps / per_second
        while client.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        took = time.monotonic() - began
        watch.stop()
        if client.poll() != 0:
            self.fail("%s\n-- head, %s\n%s" % (
                self.finish(client, None), self.node.poll(), self.head_log()[-2000:]))
        told = self.finish(client).json()
        self.stop_cluster()
        self.check(told, trials, steps, seed)
        return {
            "campaign": "overload", "seed": seed, "trials": trials,
            "reports": trials * steps, "seconds": round(took, 1),
            "reports_per_second": round(trials * steps / took), "lost_after_ms": 1000 * LOST_AFTER,
            "longest_silence_ms": max(map(int, self.silences().values())),
            "longest_status_ms": round(1000 * watch.longest), "statuses": watch.answers,
            **self.check_memory(watch.memory, trials, seed),
        }

    def check(self, told, trials, steps, seed):
        """Checks facts, whatever the times."""
        seed = "seed %d" % seed
        self.assertEqual(told["status"], "done", seed)
        self.assertEqual(told["counts"]["TERMINATED"], trials, seed)
        self.assertEqual(self.rows("SELECT body FROM events WHERE kind = 'node_down'"), [], seed)
        ends = self.rows("SELECT end_class AS how, count(*) AS n FROM attempts GROUP BY 1")
        self.assertEqual(ends, [{"how": "finished", "n": trials}], seed)
        nodes = {x["node"] for x in self.rows("SELECT DISTINCT node FROM attempts")}
        # Which of them is quick enough to get a trial is a matter of time.
        self.assertLessEqual(nodes, {"local", *WORKERS}, seed)
        self.assertGreater(len(nodes), 1, seed)
        heard = self.rows(
            "SELECT count(*) AS n, count(DISTINCT trial || ' ' || training_iteration) AS different"
            " FROM results"
        )
        self.assertEqual(heard, [{"n": trials * steps, "different": trials * steps}], seed)
        for name in WORKERS:
            self.assertNotIn("is lost", self.head_log(), seed)
            self.assertNotIn("off: ", (self.directory / (name + ".log")).read_text(), seed)
        self.assertEqual(set(self.silences()), set(WORKERS), seed + "\n" + self.head_log())

    def check_memory(self, samples, trials, seed):
        """Compares the peak of the last quarter of a run with that of the second."""
        quarter = len(samples) // 4
        if quarter < 5:
            return {}
        before, cached_before = map(max, zip(*samples[quarter : 2 * quarter]))
        after, cached_after = map(max, zip(*samples[-quarter:]))
        beside = after - before - (cached_after - cached_before)
        told = {
            "head_mib_early": round(before / 2**20, 1), "head_mib_late": round(after / 2**20, 1),
            "grown_beside_caches_mib": round(beside / 2**20, 1),
        }
        self.assertLess(beside, SPARE + SPARE_OF_TRIAL * trials // 2, "seed %d: %s" % (seed, told))
        return told


def main(seed, trials=2000, per_second=1000):
    told = {"campaign": "overload", "seed": int(seed)}

    class One(Overload):
        def runTest(self):
            told.update(self.conduct(int(seed), int(trials), float(per_second)))

    ran = unittest.TestResult()
    One().run(ran)
    for _, text in ran.errors + ran.failures:
        print("overload: seed %s\n%s" % (seed, text), file=sys.stderr)
    told["findings"] = len(ran.errors) + len(ran.failures)
    print(json.dumps(told), flush=True)
    return 0 if ran.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""A head with a queue of experiments dies and begins again, or another one takes its place: each
experiment has the place that the record gives it, and hears so."""
import json
import re
import signal
import socket

from e2e import main
from lasting import Lasting

# In the order of their coming, which is not that of their names: the first is served.
ORDER = ("m", "z", "a", "k", "c")


class QueueRestart(Lasting):
    def setUp(self):
        super().setUp()
        # Trials do not end while it is there.
        self.hold = self.directory / "hold"
        self.hold.touch()

    def submit(self, where, name, *words):
        ini = self.lasting(name=name, samples=1, steps=2)
        self.run_node("run", ini, "--head", where, "--certs", self.certs, "--detach", *words,
                      cwd=self.directory)

    def begin(self, *words):
        """Starts a head that serves one experiment at a time. However slow this machine is, its
        worker is not lost, and waits for the next head."""
        return self.begin_head(
            *("head", "--storage", self.directory / "results", "--no-local"),
            *("--work", self.directory / "work-head", "--lost-after", "60s"),
            *("--head-grace", "600s", "--max-experiments", 1, *words)
        )

    def has_places(self, where, expected):
        """Whether these are the places of all experiments, by name."""
        rows = self.run_node("list", "experiments", "--head", where, "--certs", self.certs,
                             "-o", "json").json()
        return {x["experiment"]: x["place"] for x in rows} == expected

    def is_noted(self, name):
        note = self.directory / "results" / name / ".tune_submission"
        return json.loads(note.read_text())["served"]

    def begin_with_queue(self, *words, join=None):
        head, where = self.begin(*words)
        self.workers["one"] = self.worker(join or where, "one", "--lost-after", "60s")
        self.wait_until(lambda: self.says(self.head_log.name, "one joined"), head, "the worker")
        for name in ORDER:
            self.submit(where, name)
        # It goes before those that wait, and not before the one that is served.
        self.submit(where, "u", "--experiment.priority", 5)
        self.wait_until(lambda: self.trained() and self.is_noted("m"), head, "a trial of the first")
        return head, where

    EXPECTED = {"m": 0, "u": 1, "z": 2, "a": 3, "k": 4, "c": 5}

    def test_each_has_its_place_again(self):
        head, where = self.begin_with_queue()
        self.wait_until(lambda: self.has_places(where, self.EXPECTED), head, "all places")
        for line in (r"experiment m of \S+ runs: 1 trial\n",
                     r"experiment z of \S+ is queued at place 1: 1 trial\n"):
            self.wait_until(lambda x=line: re.search(x, self.head_log.read_text()), head, line)
        self.assertNotRegex(self.head_log.read_text(), r"experiment z of \S+ runs")

        for _ in range(2):
            self.kill(head)
            head, where = self.begin()
            self.wait_until(lambda: self.says(self.head_log.name, "one is back"), head, "the worker")
            self.wait_until(lambda: self.has_places(where, self.EXPECTED), head, "the same places")
            log = self.head_log.read_text()
            self.assertIn("goes on with experiment m, which ran when the head before", log)
            for name in ("u", *ORDER[1:]):
                self.assertIn("goes on with experiment %s, which was queued when" % name, log)
                self.assertNotRegex(log, "experiment %s of .* runs" % name)
        # What is new comes behind them.
        self.submit(where, "b")
        self.wait_until(lambda: self.has_places(where, {**self.EXPECTED, "b": 6}), head, "places")
        self.hold.unlink()
        order = ("m", "u", *ORDER[1:], "b")
        for name in order:
            self.wait_until(lambda n=name: self.is_over(n), head, "the end of " + name)
        head.send_signal(signal.SIGTERM)
        self.finish(head)

        for name in order:
            rows = self.rows("SELECT end_class FROM attempts", name)
            self.assertEqual([row["end_class"] for row in rows], ["finished"], name)
        log = self.head_log.read_text()
        served = re.findall(r"experiment (\S+) of \S+ runs", log)
        self.assertEqual(served, list(order), "the order in which they are served")
        self.put_away()

    def test_one_that_stood_by_gives_the_same_places(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            other = "127.0.0.1:%d" % free.getsockname()[1]
        first, _ = self.begin_with_queue("--standby", join=self.place() + "," + other)
        second = self.start_on(
            *("head", "other.log", "head", "--listen", other, "--certs", self.certs, "--standby"),
            *("--storage", self.directory / "results", "--no-local", "--lost-after", "60s"),
            *("--work", self.directory / "work-other", "--head-grace", "600s"),
            *("--max-experiments", 1)
        )
        self.wait_until(lambda: self.says("other.log", "stands by: "), second, "the second")

        self.kill(first)

        self.wait_until(lambda: self.says("other.log", "one is back"), second, "the worker")
        self.wait_until(lambda: self.has_places(other, self.EXPECTED), second, "the same places")
        self.hold.unlink()
        for name in self.EXPECTED:
            self.wait_until(lambda n=name: self.is_over(n), second, "the end of " + name)
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    def test_what_waits_all_its_time_says_so(self):
        head, where = self.begin_with_queue()
        self.submit(where, "late", "--experiment.time_limit", "1s")

        self.wait_until(lambda: self.is_over("late"), head, "its end")
        why = "the time limit was reached; it was queued at the head all the time"
        self.wait_until(lambda: self.says(self.head_log.name, why), head, "the reason")
        self.assertEqual(self.rows("SELECT * FROM attempts", "late"), [])
        self.assertEqual(self.rows("SELECT why FROM experiment", "late"), [{"why": why}])
        self.hold.unlink()
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Requirements for a head and its workers wherever they are: on one machine, or in networks of
their own. Each test file says where."""
import json
import re
import shutil
import signal
from pathlib import Path

from e2e import ROOT, TUNE_NODE, CertifiedCase

# Reports again and again; ends once the file exists.
GATED = """#!/bin/sh
# trial.sh VALUE FILE
printf '%s\\n' "${CUDA_VISIBLE_DEVICES-none}"
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
while :; do
  echo "{\\"metrics\\":{\\"loss\\":$1}}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in *stop*) exit 0 ;; esac
  [ ! -e "$2" ] || exit 0
  sleep 0.05
done
"""

# A program that does not know of tune-node.
PLAIN = """#!/bin/sh
echo "warming up"
echo "loss=$1"
"""

# Another such program, which therefore cannot save: patient.sh VALUE FILE
PATIENT = """#!/bin/sh
echo "loss=$1"
until [ -e "$2" ]; do sleep 0.05; done
"""

KINDS = {
    "protocol": ("command = ./trial.sh {x} ./gate\nfiles = gate", "x = uniform(0, 1)"),
    "expression": ("command = ./plain.sh {x}\nmetric.loss = loss=(\\S+)", "x = uniform(0, 1)"),
    "function_process": ("name = quadratic\nisolation = process", "x = uniform(0, 1)"),
    "function_thread": ("name = quadratic\nisolation = thread", "x = uniform(0, 1)"),
    "class_process": ("name = digits_mlp\nisolation = process", "lr = uniform(0.01, 0.1)"),
    "class_thread": ("name = digits_mlp\nisolation = thread", "lr = uniform(0.01, 0.1)"),
    "table": ("kind = table\npath = curves.csv", "lr = uniform(0.003, 1)\ndecay = 0.8\nl2 = 0.0"),
}


def most_at_once(attempts):
    """The largest number of rows, with `started` and `ended`, that overlapped at any time."""
    # A row that ends when another begins makes room for it.
    changes = sorted(
        [(row["started"], 1) for row in attempts] + [(row["ended"], -1) for row in attempts]
    )
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


class Cluster(CertifiedCase):
    """A head and workers, over mutual TLS; on this machine unless overridden."""

    def setUp(self):
        super().setUp()
        self.gate = self.directory / "go on"
        for name, text in (("trial.sh", GATED), ("plain.sh", PLAIN),
                           ("patient.sh", PATIENT)):
            (self.directory / name).write_text(text)
            (self.directory / name).chmod(0o755)

    def inside(self, node):
        """Words before a command that make it run on this node: "head", or a worker's name."""
        del node
        return []

    def address(self):
        """The address at which the head listens."""
        return "127.0.0.1"

    def start_on(self, node, log, *words):
        """Starts tune-node on a node, with stderr in a file. It does not outlive this program,
        however that ends."""
        whole = ["setpriv", "--pdeathsig", "KILL", *self.inside(node), TUNE_NODE, *words]
        with open(self.directory / log, "w", encoding="utf-8") as err:
            return self.start(*whole[1:], program=whole[0], stderr=err)

    def says(self, log, text):
        return text in (self.directory / log).read_text()

    def head(self, ini, *words, port=0):
        """Starts a head that listens. Returns it, and the address for workers."""
        log = ini.stem + ".head.log"
        listen = "%s:%d" % (self.address(), port)
        head = self.start_on(
            *("head", log, "run", ini, "--listen", listen, "--certs", self.certs, *words)
        )
        self.wait_until(lambda: self.says(log, "workers may join"), head, "an open port")
        joined = re.search(r"--join (\S+)", (self.directory / log).read_text())
        return head, joined.group(1)

    def worker(self, where, name, *words, cpus=1):
        return self.start_on(
            *(name, name + ".log", "worker", "--join", where, "--name", name, "--cpus", cpus),
            *("--certs", self.certs, "--work", self.directory / ("work-" + name), *words)
        )

    def gated(self, more="", samples=2, name="x.ini", space="x = uniform(0, 1)", which="",
              program="trial.sh"):
        """An experiment whose trials end when their gate opens; only workers run them."""
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 7\n"
            '[trainable]\ncommand = ./%s {x} "%s"\n%s'
            "[space]\n%s\n[failure]\nbackoff = 0\n[cluster]\nlocal = false\n%s\n"
            % (samples, program, str(self.gate) + which,
               "" if program == "trial.sh" else "metric.loss = loss={number}\n", space, more),
            name,
        )

    def attempts(self, experiment="x", node=None):
        rows = self.rows_if_any("SELECT * FROM attempts ORDER BY started, trial", experiment)
        return [row for row in rows if node in (None, row["node"])]

    def wait_for_attempts(self, count, head, experiment="x", node=None):
        """Waits until so many attempts have begun and reported."""
        query = "SELECT DISTINCT attempt FROM results" + (
            " WHERE node = '%s'" % node if node else ""
        )
        self.wait_until(
            lambda: len(self.rows_if_any(query, experiment)) >= count,
            head,
            "%d attempts that report" % count,
        )

    def open_gate(self, which=""):
        Path(str(self.gate) + which).touch()


class ClusterTests:
    """The tests, to be mixed into a `Cluster` that says where it is."""

    # -- Every kind of trainable, on every node.

    def kind_ini(self, kind):
        trainable, space = KINDS[kind]
        (self.directory / "gate").touch()
        shutil.copy(ROOT / "data/curves/digits_logistic.csv", self.directory / "curves.csv")
        return self.ini(
            "[experiment]\nmetric = %s\nmode = min\nnum_samples = 1000000\n"
            "[trainable]\n%s\n[space]\n%s\n[stop]\ntraining_iteration = 3\n"
            "[cluster]\ncpus = 1\n[log]\ntrial_files = false\n"
            % ("accuracy" if kind == "table" else "loss", trainable, space),
            kind + ".ini",
        )

    def ended_well_on(self, kind):
        query = "SELECT DISTINCT node FROM attempts WHERE end_class IN ('finished', 'stopped')"
        return {row["node"] for row in self.rows_if_any(query, kind)}

    def test_every_kind_of_trainable_runs_on_every_node(self):
        nodes = {"local", "one", "two"}
        for kind in KINDS:
            with self.subTest(kind):
                head, where = self.head(self.kind_ini(kind))
                workers = [self.worker(where, name, "--once") for name in ("one", "two")]

                self.wait_until(lambda: self.ended_well_on(kind) == nodes, head, "all three nodes")
                head.send_signal(signal.SIGINT)

                self.finish(head, 130)
                for worker in workers:
                    self.finish(worker)
                self.assertEqual(
                    self.rows("SELECT * FROM trials WHERE status = 'ERRORED'", kind), []
                )
                told = self.rows(
                    "SELECT DISTINCT r.node AS said, a.node AS was FROM results r"
                    " JOIN attempts a USING (trial, attempt)",
                    kind,
                )
                self.assertEqual({(x["said"], x["was"]) for x in told}, {(x, x) for x in nodes})
        self.assert_no_trial_processes()

    # -- Placement.

    def test_trials_go_only_where_what_they_ask_for_is(self):
        self.open_gate()
        ini = self.gated("[resources]\ncustom.licence = 1", samples=6)
        head, where = self.head(ini)
        workers = [
            self.worker(where, "with", "--once", "--custom", "licence=2", cpus=8),
            self.worker(where, "without", "--once", cpus=8),
        ]

        self.finish(head)

        rows = self.attempts()
        self.assertEqual({row["node"] for row in rows}, {"with"})
        self.assertEqual(len(rows), 6)
        self.assertEqual(most_at_once(rows), 2)
        for worker in workers:
            self.finish(worker)

    def test_gpus_are_shared_as_far_as_they_go_and_named_to_the_trial(self):
        ini = self.gated("[resources]\ncpu = 0\ngpu = 0.5", samples=6)
        head, where = self.head(ini)
        workers = [
            self.worker(where, "gpus", "--once", "--gpus", 2),
            self.worker(where, "none", "--once", "--gpus", 0),
        ]
        self.wait_for_attempts(4, head)
        self.open_gate()

        self.finish(head)

        rows = self.attempts()
        self.assertEqual({row["node"] for row in rows}, {"gpus"})
        self.assertEqual(most_at_once(rows), 4)
        seen = [self.trial_file(i, "stdout").read_text() for i in range(4)]
        self.assertEqual(sorted(seen), ["0\n", "0\n", "1\n", "1\n"])
        for worker in workers:
            self.finish(worker)

    def test_no_node_ever_has_more_than_it_offers(self):
        offers = {"one": 1, "two": 2, "three": 3}
        ini = self.gated(samples=18)
        head, where = self.head(ini)
        workers = [self.worker(where, x, "--once", cpus=n) for x, n in offers.items()]
        self.wait_for_attempts(6, head)
        self.open_gate()

        self.finish(head)

        self.assertEqual(len(self.attempts()), 18)
        for name, offer in offers.items():
            # All slots were in use when the gate opened, and never more.
            self.assertEqual(most_at_once(self.attempts(node=name)), offer, name)
        for worker in workers:
            self.finish(worker)

    def test_a_policy_packs_trials_or_spreads_them(self):
        for policy in ("pack", "spread"):
            with self.subTest(policy):
                ini = self.gated(
                    "policy = %s\n[experiment]\nmax_concurrent_trials = 4" % policy,
                    1,
                    policy + ".ini",
                    "x = grid(0, 1, 2, 3, 4, 5)",
                    policy + "{x}",
                )
                head, where = self.head(ini)
                workers = [self.worker(where, "one", "--once", cpus=8)]
                self.wait_for_attempts(4, head, policy)
                workers.append(self.worker(where, "two", "--once", cpus=8))
                self.wait_until(lambda: self.says("two.log", "joined"), head, "the second worker")

                # Two trials end. The other four run on, or may still be in the books, where they
                # were.
                for i in range(2):
                    self.open_gate(policy + str(i))
                self.wait_for_attempts(6, head, policy)
                for i in range(2, 6):
                    self.open_gate(policy + str(i))

                self.finish(head)
                later = [row["node"] for row in self.attempts(policy) if row["trial"] > 3]
                self.assertEqual(later, {"pack": ["one"] * 2, "spread": ["two"] * 2}[policy])
                for worker in workers:
                    self.finish(worker)

    # -- Coming and going.

    def test_a_worker_that_joins_in_mid_run_gets_work_at_once(self):
        head, where = self.head(self.gated(samples=4))
        first = self.worker(where, "first", "--once")
        self.wait_for_attempts(1, head)

        second = self.worker(where, "second", "--once", cpus=2)
        self.wait_for_attempts(2, head, node="second")
        self.open_gate()

        self.finish(head)
        up = self.rows("SELECT since FROM nodes WHERE node = 'second'")[0]["since"]
        placed = min(row["started"] for row in self.attempts(node="second"))
        heard = self.rows("SELECT min(t) AS t FROM results WHERE node = 'second'")[0]["t"]
        print(
            "joined in mid-run: placed after %.1f ms, first report after %.1f ms"
            % (1000 * (placed - up), 1000 * (heard - up))
        )
        self.assertGreater(up, 0)
        self.assertGreater(heard, placed)
        self.assertTrue(self.says("second.log", "joined as node second"))
        for worker in (first, second):
            self.finish(worker)

    def test_a_worker_that_is_told_to_leave_finishes_what_runs_within_its_grace(self):
        head, where = self.head(self.gated(samples=1, space="x = grid(0, 1, 2)", which="{x}",
                                           program="patient.sh"))
        first = self.worker(where, "first", "--leave-grace", "100s")
        self.wait_for_attempts(1, head)

        first.send_signal(signal.SIGTERM)
        self.wait_until(lambda: self.says("first.log", "leaving"), first, "its word")
        second = self.worker(where, "second", "--once")
        self.wait_for_attempts(1, head, node="second")
        self.open_gate("0")
        self.finish(first)
        query = "SELECT why FROM nodes WHERE node = 'first' AND state = 'down'"
        self.wait_until(lambda: self.rows(query) == [{"why": "it left"}], head, "its absence")
        self.open_gate("1")
        self.open_gate("2")

        self.finish(head)
        self.assertEqual([x["end_class"] for x in self.attempts(node="first")], ["finished"])
        self.assertEqual([x["end_class"] for x in self.attempts(node="second")], ["finished"] * 2)
        self.finish(second)

    def test_a_worker_that_is_told_to_leave_hands_back_what_takes_longer(self):
        head, where = self.head(self.gated(samples=2), "-o", "json")
        first = self.worker(where, "first", "--leave-grace", "100ms", cpus=2)
        self.wait_for_attempts(2, head)

        first.send_signal(signal.SIGTERM)
        self.finish(first)
        second = self.worker(where, "second", "--once", cpus=2)
        self.wait_for_attempts(2, head, node="second")
        self.open_gate()

        told = json.loads(self.finish(head).out)
        self.assertEqual(told["counts"]["TERMINATED"], 2)
        self.assertEqual([x["end_class"] for x in self.attempts(node="first")], ["preempted"] * 2)
        self.assertEqual([x["end_class"] for x in self.attempts(node="second")], ["finished"] * 2)
        self.assertEqual({x["failures"] for x in self.rows("SELECT * FROM trials")}, {0})
        self.finish(second)
        self.assert_no_trial_processes()

# SPDX-License-Identifier: BSD-3-Clause
"""A head and workers in networks of their own, connected by a switch: see cluster.py for the
general tests; here are those that need a network. Needs root, and a kernel that allows network
namespaces; otherwise says so and exits 77."""
import contextlib
import json
import os
import subprocess
import sys
import time

from cluster import Cluster, ClusterTests
from e2e import main

# Silence after which a node is lost, unless `[cluster] lost_after` says otherwise.
SILENCE = 10

NODES = {"head": "10.77.0.1", "one": "10.77.0.2", "two": "10.77.0.3"}


class Refused(Exception):
    """The kernel refuses a command."""


class Namespace:
    """A network of its own. It has no name and vanishes with its last process: however this
    program ends, the process that holds it then reads the end of its input."""

    def __init__(self):
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if self.holder.stdout.readline() != "\n":
            raise Refused(self.holder.communicate()[1].strip())
        self.inside = ["nsenter", "--net=/proc/%d/ns/net" % self.holder.pid, "--"]
        self.run("ip link set lo up")

    def run(self, command):
        done = subprocess.run(
            [*self.inside, *command.split()], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Refused("%s: %s" % (command, done.stderr.strip()))

    def close(self):
        with contextlib.suppress(OSError):
            self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()


class Network:
    """Namespaces of the nodes, each connected to a switch, which is a namespace, too."""

    def __init__(self):
        self.spaces = {}
        try:
            self.switch = self.open("switch")
            self.switch.run("ip link add hub type bridge")
            self.switch.run("ip link set hub up")
            for name, address in NODES.items():
                self.plug(name, address)
        except Exception:
            self.close()
            raise

    def open(self, name):
        self.spaces[name] = Namespace()
        return self.spaces[name]

    def plug(self, name, address):
        space = self.open(name)
        self.switch.run(
            "ip link add %s type veth peer name eth0 netns %d" % (name, space.holder.pid)
        )
        self.switch.run("ip link set %s master hub up" % name)
        space.run("ip address add %s/24 dev eth0" % address)
        space.run("ip link set eth0 up")

    def cut(self, name):
        self.switch.run("ip link set %s down" % name)

    def mend(self, name):
        self.switch.run("ip link set %s up" % name)

    def deafen(self, name, to):
        """Drops what `name` sends to `to`, but not the other way round."""
        self.spaces[name].run("ip route add blackhole %s/32" % NODES[to])

    def undeafen(self, name, to):
        self.spaces[name].run("ip route delete blackhole %s/32" % NODES[to])

    def slow_down(self, name):
        """Makes a cable slow. @returns the way."""
        ways = ("netem delay 50ms", "tbf rate 100kbit burst 2kb limit 100kb")
        for way in ways:
            with contextlib.suppress(Refused):
                self.switch.run("tc qdisc replace dev %s root %s" % (name, way))
                self.spaces[name].run("tc qdisc replace dev eth0 root " + way)
                return way
        return None

    def speed_up(self, name):
        self.switch.run("tc qdisc delete dev %s root" % name)
        self.spaces[name].run("tc qdisc delete dev eth0 root")

    def close(self):
        for space in self.spaces.values():
            space.close()


class Networks(ClusterTests, Cluster):
    network = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.network = Network()
        cls.addClassCleanup(cls.network.close)

    def setUp(self):
        super().setUp()
        self.seats = {"head": "head"}

    def inside(self, node):
        # Workers are placed in "one" and "two" in turns, in the order of their arrival.
        seat = self.seats.setdefault(node, ("two", "one")[len(self.seats) % 2])
        return self.network.spaces[seat].inside

    def address(self):
        return NODES["head"]

    def events(self, kind):
        rows = self.rows_if_any("SELECT t, body FROM events WHERE kind = '%s' ORDER BY seq" % kind)
        return [(row["t"], json.loads(row["body"])["node"]) for row in rows]

    def wait_for_event(self, kind, node, head, count=1):
        def there():
            return [t for t, name in self.events(kind) if name == node][count - 1 :]

        self.wait_until(there, head, "%s of %s" % (kind, node))
        return there()[0]

    def test_a_cut_cable_is_noticed_and_a_mended_one_brings_the_worker_back(self):
        self.addCleanup(self.network.mend, "two")
        head, where = self.head(self.gated(samples=2))
        workers = [self.worker(where, "one", "--once")]
        self.wait_for_attempts(1, head)
        workers.append(self.worker(where, "two"))
        self.wait_for_attempts(1, head, node="two")
        workers.append(self.worker(where, "three", "--leave-grace", "0"))
        self.wait_for_event("node_up", "three", head)

        self.network.cut("two")
        down = self.wait_for_event("node_down", "two", head)
        last = self.rows("SELECT max(t) AS t FROM results WHERE node = 'two' AND t < %r" % down)

        lost = self.attempts(node="two")
        print("cut: noticed after %.1f s" % (down - last[0]["t"]))
        # The last message may be a heartbeat that came after the last report.
        self.assertLess(down - last[0]["t"], SILENCE + 1)
        self.assertEqual([row["end_class"] for row in lost], ["node_lost"])
        self.assertEqual(
            self.rows("SELECT state, why FROM nodes WHERE node = 'two'"),
            [{"state": "down", "why": "no heartbeat came from it for 10 s"}],
        )
        # The trial goes on elsewhere, and nothing is left where it was.
        self.wait_for_attempts(1, head, node="three")
        again = [row["trial"] for row in self.attempts(node="three")]
        self.assertEqual(again, [lost[0]["trial"]])
        self.wait_until(lambda: self.says("two.log", "off: "), workers[1], "the worker's word")

        self.network.mend("two")
        mended = time.monotonic()
        self.wait_for_event("node_up", "two", head, 2)
        print("mended: back after %.1f s" % (time.monotonic() - mended))
        workers[2].terminate()
        self.wait_for_attempts(2, head, node="two")
        self.open_gate()

        self.finish(head)
        self.assertEqual(
            self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}] * 2
        )
        ends = [(row["node"], row["end_class"]) for row in self.attempts()]
        self.assertEqual(
            sorted(ends),
            [("one", "finished"), ("three", "preempted"), ("two", "finished"), ("two", "node_lost")],
        )
        workers[1].terminate()
        for worker in workers:
            self.finish(worker)
        self.assert_no_trial_processes()

    def lose_words(self, of, to):
        """Disturbs the line from `of` to `to` in one way, and mends it after the loss."""
        limit = 4
        head, where = self.head(self.gated("lost_after = %d" % limit, samples=1))
        one = self.worker(where, "one", "--lost-after", limit)
        self.wait_for_attempts(1, head)
        two = self.worker(where, "two", "--lost-after", limit, "--once")
        self.wait_for_event("node_up", "two", head)
        seat = {"head": "head", "one": self.seats["one"]}

        self.network.deafen(seat[of], seat[to])
        try:
            down = self.wait_for_event("node_down", "one", head)
            self.wait_for_attempts(1, head, node="two")
        finally:
            self.network.undeafen(seat[of], seat[to])
        self.wait_for_event("node_up", "one", head, 2)
        self.open_gate()

        self.finish(head)
        last = self.rows("SELECT max(t) AS t FROM results WHERE node = 'one'")[0]["t"]
        print("deaf %s: noticed after %.1f s" % (to, down - last))
        self.assertLess(down - last, limit + 2)
        ends = [(row["node"], row["end_class"]) for row in self.attempts()]
        self.assertEqual(ends, [("one", "node_lost"), ("two", "finished")])
        self.finish(two)
        one.terminate()
        self.finish(one)
        self.assert_no_trial_processes()

    def test_a_worker_that_is_not_heard_is_lost_in_time(self):
        self.lose_words("one", "head")

    def test_a_worker_that_hears_nothing_is_lost_in_time(self):
        self.lose_words("head", "one")

    def test_a_cable_that_is_out_for_a_moment_costs_nothing(self):
        head, where = self.head(self.gated(samples=1))
        worker = self.worker(where, "one", "--once")
        self.wait_for_attempts(1, head)
        count = len(self.rows("SELECT seq FROM results"))

        for seconds in (1, 3):
            self.network.cut(self.seats["one"])
            time.sleep(seconds)
            self.network.mend(self.seats["one"])
            self.wait_until(
                lambda: len(self.rows("SELECT seq FROM results")) > count + 3, head, "reports"
            )
            count = len(self.rows("SELECT seq FROM results"))
        self.open_gate()

        self.finish(head)
        ends = [(row["node"], row["end_class"]) for row in self.attempts()]
        self.assertEqual(ends, [("one", "finished")])
        self.assertEqual(self.events("node_down"), [])
        self.finish(worker)

    def test_a_slow_cable_changes_nothing_but_the_time(self):
        self.open_gate()
        told = []
        for name in ("fast", "slow"):
            if name == "slow":
                how = self.network.slow_down("one")
                if how is None:
                    self.skipTest("this kernel has neither netem nor tbf")
                self.addCleanup(self.network.speed_up, "one")
            began = time.monotonic()
            head, where = self.head(self.gated(samples=8, name=name + ".ini"))
            worker = self.worker(where, "one", "--once", cpus=4)
            self.finish(head)
            self.finish(worker)
            took = time.monotonic() - began
            print("%s cable: %.1f s" % (how if name == "slow" else "fast", took))
            query = "SELECT trial, training_iteration, metrics FROM results ORDER BY 1, 2"
            told.append(
                (
                    self.rows(query, name),
                    self.rows("SELECT trial, node, end_class FROM attempts ORDER BY 1", name),
                    [self.trial_file(i, "stdout", name).read_text() for i in range(8)],
                )
            )

        self.assertEqual(len(told[0][0]), 8)
        self.assertEqual(*told)


def why_not():
    """The reason why networks are impossible here; None if they are possible."""
    if os.geteuid() != 0:
        return "it takes root to make network namespaces"
    try:
        Network().close()
    except Refused as why:
        return "the kernel makes no network namespaces for us: %s" % why
    return None


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    main()

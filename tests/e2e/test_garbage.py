# SPDX-License-Identifier: BSD-3-Clause
"""Connections to a head's port that never become members: they say nothing, send random bytes,
begin a handshake and leave it there, or send the beginning of one byte by byte. The experiment goes
on, its workers stay, and the head's memory is bounded."""
import contextlib
import json
import random
import resource
import socket
import ssl
from pathlib import Path

from cluster import Cluster
from e2e import main

CONNECTIONS = 1000
# Of these so many may be open at a time: see docs/security.md.
STRANGERS = 100
MOST_GROWTH = 10_000_000


def resident(pid):
    """Resident memory of a process, in bytes."""
    for line in Path("/proc", str(pid), "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS of process %d" % pid)


def client_hello():
    """The first bytes of a TLS handshake."""
    how = ssl.create_default_context()
    how.check_hostname = False
    how.verify_mode = ssl.CERT_NONE
    sent = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        how.wrap_bio(ssl.MemoryBIO(), sent).do_handshake()
    return sent.read()


class Crowd:
    """Connections to a port, each with something to say at its beginning, and one more byte in each
    round."""

    def __init__(self, where):
        host, port = where.rsplit(":", 1)
        self.address = (host, int(port))
        self.made = 0
        self.open = []
        self.hello = client_hello()
        self.noise = random.Random(4711).randbytes(512)

    def come(self, count):
        for _ in range(count):
            link = socket.create_connection(self.address)
            link.setblocking(False)
            first, rest = [
                (b"", b""), (self.noise, b""), (self.hello, b""), (self.hello[:1], self.hello[1:])
            ][self.made % 4]
            self.made += 1
            with contextlib.suppress(OSError):
                link.send(first)
            self.open.append((link, iter(rest)))

    def go_on(self):
        """Sends further bytes, and closes connections that the head has closed."""
        still = []
        for link, rest in self.open:
            try:
                link.send(bytes([x for x, _ in zip(rest, range(1))]))
                is_open = link.recv(65536) != b""
            except BlockingIOError:
                is_open = True
            except OSError:
                is_open = False
            if is_open:
                still.append((link, rest))
            else:
                link.close()
        self.open = still

    def leave(self):
        for link, _ in self.open:
            link.close()
        self.open = []


class Garbage(Cluster):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    def knock(self, crowd, count, head):
        """Has so many more come, a hundred at a time."""

        def is_served():
            crowd.go_on()
            return len(crowd.open) <= STRANGERS

        until = crowd.made + count
        while crowd.made < until:
            crowd.come(min(100, until - crowd.made))
            self.wait_until(is_served, head, "the end of all strangers that are too many")

    def test_costs_a_head_little_memory_and_none_of_its_workers(self):
        head, where = self.head(self.gated(samples=4), "-o", "json")
        workers = [self.worker(where, name, "--once", cpus=2) for name in ("one", "two")]
        self.wait_for_attempts(4, head)
        crowd = Crowd(where)
        self.addCleanup(crowd.leave)
        # As many as there may be are there, and some more have gone.
        self.knock(crowd, 2 * STRANGERS, head)
        before = resident(head.pid)

        self.knock(crowd, CONNECTIONS, head)
        growth = resident(head.pid) - before
        # Another worker gets in beside them, and does what is left.
        late = self.worker(where, "late", "--once", cpus=2)
        self.wait_until(lambda: self.says("late.log", "joined as node late"), head, "its place")
        self.open_gate()
        told = json.loads(self.finish(head).out)

        self.assertLess(growth, MOST_GROWTH)
        self.assertEqual(told["counts"]["TERMINATED"], 4)
        attempts = self.attempts()
        self.assertEqual(len(attempts), 4, "none of them was begun anew")
        self.assertEqual({row["end_class"] for row in attempts}, {"finished"})
        lost = "SELECT * FROM nodes WHERE state = 'down' AND why NOT LIKE '%left%'"
        self.assertEqual(self.rows(lost + " AND node IN ('one', 'two', 'late')"), [])
        self.assertTrue(self.says("x.head.log", "hung up on before it had shown who it is"))
        for worker in (*workers, late):
            self.finish(worker)
        self.assert_no_trial_processes()


if __name__ == "__main__":
    main()

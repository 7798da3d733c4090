# SPDX-License-Identifier: BSD-3-Clause
"""A malicious member of the cluster: it has a certificate, and sends every message that it can
think of to every actor that it can reach. The others go on."""
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from pathlib import Path

from cluster import Cluster
from e2e import DEADLINE, ROOT, CertifiedCase, main

HOSTILE_NODE = os.environ.get(
    "TUNE_HOSTILE_NODE", str(ROOT / "build/dev/tests/support/tune_hostile_node")
)
COUNTING = Path(__file__).with_name("counting_trial.py")

# BASP, CAF's protocol: kinds of messages, and the form of a header.
GREETING_OF_HEAD, GREETING, DIRECT, ROUTED, MONITOR, DOWN, HEARTBEAT = range(7)
HEADER = struct.Struct(">BBBBIQQQ")


def node_id(process, host=b"\xaa" * 20):
    """A node id in CAF's encoding: the name of the kind, then its content."""
    return atom("default") + struct.pack(">I", process) + host


def atom(text):
    """An atom in CAF's encoding: six bits per letter."""
    table = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
    value = 0xF
    for letter in text:
        value = value << 6 | table.index(letter)
    return struct.pack(">Q", value)


class Harm:
    """Shared by the tests below."""

    def hostile(self, where, rounds):
        return self.start(
            "--join", where, "--certs", self.certs, "--rounds", rounds, program=HOSTILE_NODE
        )

    def connect(self, where):
        """A TLS connection of a member, over which arbitrary bytes can be sent."""
        how = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
        how.check_hostname = False
        how.verify_mode = ssl.CERT_NONE
        how.load_cert_chain(self.certs / "node.pem", self.certs / "node.key")
        host, port = where.rsplit(":", 1)
        return how.wrap_socket(socket.create_connection((host, int(port)), timeout=60))

    @staticmethod
    def frame(kind, payload=b"", length=None, flags=0, data=0, source=0, dest=0):
        size = len(payload) if length is None else length
        return HEADER.pack(kind, 0, 0, flags, size, data, source, dest) + payload

    def is_hung_up_on(self, where, *frames):
        """Whether a head closes the connection after these frames. Its greeting and heartbeats
        before that are ignored."""
        with self.connect(where) as link:
            end = time.monotonic() + DEADLINE
            try:
                link.sendall(b"".join(frames))
                # Heartbeats would come for ever.
                while link.recv(4096):
                    if time.monotonic() > end:
                        return False
            except TimeoutError:
                return False
            except (ssl.SSLError, ConnectionError):
                pass
            return True

    def speak_nonsense(self, where):
        """Frames that no node sends. Each of the first kind ended a process without a message
        filter."""
        me = node_id(4711)
        hello = self.frame(GREETING, me)
        bad = [
            [self.frame(GREETING)],
            [self.frame(GREETING_OF_HEAD, data=4)],
            [self.frame(GREETING, b"\xff" * 10)],
            [self.frame(DIRECT, b"x" * 10, source=1, dest=1)],
            [hello, self.frame(GREETING, node_id(4712))],
            [hello, self.frame(DIRECT, length=0xFFFFFFFF, source=1, dest=1)],
            [hello, self.frame(ROUTED, me + node_id(1) + b"x" * 20, source=1, dest=1)],
            [hello, self.frame(DOWN, node_id(1) + node_id(2) + b"x" * 20, source=1)],
            [hello, self.frame(MONITOR, node_id(1) + node_id(2), dest=1)],
            [hello, self.frame(DOWN, b"", source=1)],
            [hello, self.frame(HEARTBEAT, b"x")],
            [b"\xee" * 32],
        ]
        for frames in bad:
            self.assertTrue(self.is_hung_up_on(where, *frames), frames)

    def knock_with(self, where, version):
        """Runs `openssl s_client` against a head, as a member, with one version of TLS."""
        return subprocess.run(
            ["openssl", "s_client", version, "-connect", where, "-CAfile", self.certs / "ca.pem",
             "-cert", self.certs / "node.pem", "-key", self.certs / "node.key", "-brief"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=DEADLINE,
        )


class Run(Harm, Cluster):
    """One run with its workers."""

    def counting(self, samples):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n"
            '[trainable]\ncommand = %s %s "%s" 6 2000 3\n'
            "[space]\nx = uniform(0, 1)\n[checkpoint]\nfrequency = 1\n[failure]\nbackoff = 0\n"
            "[cluster]\nlocal = false\n" % (samples, sys.executable, COUNTING, self.gate)
        )

    def test_loses_nothing_to_a_member_that_sends_everybody_everything(self):
        head, where = self.head(self.counting(4), "-o", "json")
        workers = [
            self.worker(where, name, "--once", "--own-storage", cpus=2) for name in ("one", "two")
        ]
        self.wait_for_attempts(4, head)

        hostile = self.hostile(where, 2)
        self.assertEqual(hostile.stdout.readline(), "harm done\n")
        self.speak_nonsense(where)
        # The remaining steps and checkpoints of the trials, while the attack goes on.
        self.gate.touch()
        told = self.finish(head).json()
        self.finish(hostile, None)

        self.assertEqual(told["counts"]["TERMINATED"], 4)
        self.assertEqual(self.rows("SELECT count(*) AS n FROM results")[0]["n"], 4 * 6)
        attempts = self.attempts()
        self.assertEqual(len(attempts), 4, "none of them was begun anew")
        self.assertEqual({row["end_class"] for row in attempts}, {"finished"})
        self.assertEqual({row["node"] for row in attempts}, {"one", "two"})
        kept = self.rows("SELECT DISTINCT trial FROM checkpoints")
        self.assertEqual(len(kept), 4, "each trial has a checkpoint at the head")
        down = self.rows("SELECT * FROM nodes WHERE state = 'down' AND node IN ('one', 'two')")
        self.assertEqual(down, [])
        for worker in workers:
            self.finish(worker)
        self.assertTrue(self.says("x.head.log", "a message that no node sends it"))
        self.assertNotIn("unexpected message", (self.directory / "x.head.log").read_text())
        self.assert_no_trial_processes()

    def test_goes_on_after_bytes_that_no_node_sends(self):
        head, where = self.head(self.counting(1), "-o", "json")
        worker = self.worker(where, "one", "--once")
        self.wait_for_attempts(1, head)

        self.speak_nonsense(where)
        self.gate.touch()

        self.assertEqual(self.finish(head).json()["counts"]["TERMINATED"], 1)
        self.finish(worker)

    def test_is_not_joined_below_tls_1_3(self):
        head, where = self.head(self.counting(1))

        self.assertIn("TLSv1.3", self.knock_with(where, "-tls1_3").stderr)
        for version in ("-tls1_2", "-tls1_1"):
            self.assertNotEqual(self.knock_with(where, version).returncode, 0, version)

        head.send_signal(signal.SIGINT)
        self.finish(head, 130)


class StandingHead(Harm, CertifiedCase):
    def test_takes_experiments_after_all_that_a_member_can_send(self):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
                *("--storage", self.directory / "results", "--work", self.directory / "work"),
                stderr=err
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), head, "an open port")
        where = re.search(r"--head (\S+)", log.read_text()).group(1)
        self.finish(self.hostile(where, 1))
        self.speak_nonsense(where)

        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 2\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n" % self.three_reports(self.directory, "words", "")
        )
        told = self.run_node("run", ini, "--head", where, "--certs", self.certs, "-o", "json")

        self.assertEqual(told.json()["counts"]["TERMINATED"], 2)
        self.assertNotEqual(self.knock_with(where, "-tls1_2").returncode, 0)
        head.send_signal(signal.SIGTERM)
        self.finish(head)


if __name__ == "__main__":
    main()

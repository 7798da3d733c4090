# SPDX-License-Identifier: BSD-3-Clause
"""Head and worker as services: what they tell a service manager through $NOTIFY_SOCKET."""
import os
import signal
import socket

from e2e import clean_environment, is_stopped, main
from standing import StandingCase


class Service(StandingCase):
    def manager(self, name="notify"):
        """A socket as that of a service manager, and its name for the environment."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        address = str(self.directory / name)
        listener.bind("\0" + address[1:] if name.startswith("@") else address)
        listener.setblocking(False)
        return listener, address

    def watched(self, address, limit="3000000", **more):
        return clean_environment(NOTIFY_SOCKET=address, WATCHDOG_USEC=limit, **more)

    def take(self, listener, heard):
        """Appends all that has come."""
        while True:
            try:
                heard.append(listener.recv(4096).decode())
            except BlockingIOError:
                return heard

    def wait_to_hear(self, listener, heard, text, count=1, child=None):
        self.wait_until(
            lambda: sum(text in x for x in self.take(listener, heard)) >= count, child, text
        )

    def test_a_head_is_ready_beats_and_says_that_it_stops(self):
        listener, address = self.manager()
        heard = []
        head, where = self.head(env=self.watched(address, "600000"))

        self.wait_to_hear(listener, heard, "READY=1", child=head)
        self.assertIn("STATUS=listening at " + where, heard[[
            i for i, x in enumerate(heard) if "READY=1" in x][0]])
        self.wait_to_hear(listener, heard, "WATCHDOG=1", 5, head)
        self.assertFalse([x for x in heard if "STOPPING" in x])
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.take(listener, heard)
        self.assertTrue([x for x in heard if "STOPPING=1" in x])

    def test_a_frozen_head_does_not_beat(self):
        listener, address = self.manager()
        heard = []
        head, _ = self.head(env=self.watched(address, "300000"))
        self.wait_to_hear(listener, heard, "WATCHDOG=1", 3, head)
        head.send_signal(signal.SIGSTOP)
        self.wait_until(
            lambda: is_stopped(head.pid), what="the stop"
        )
        self.take(listener, heard)
        before = len(heard)
        # Ten beats would have come in this time; another head shows that it has passed.
        other, address = self.manager("other")
        second = []
        self.start(
            *("head", "--listen", "127.0.0.1:0", "--certs", self.certs),
            *("--storage", self.directory / "r2", "--work", self.directory / "w2"),
            env=self.watched(address, "300000"),
        )
        self.wait_to_hear(other, second, "WATCHDOG=1", 10)
        self.assertEqual(len(self.take(listener, heard)), before)
        head.send_signal(signal.SIGCONT)
        self.wait_to_hear(listener, heard, "WATCHDOG=1", 4, head)

    def test_a_worker_is_ready_once_it_has_joined(self):
        listener, address = self.manager()
        heard = []
        early = self.worker("127.0.0.1:1", "early", env=self.watched(address))
        self.wait_until(lambda: "trying again" in self.worker_said("early"), early, "a try")
        self.wait_to_hear(listener, heard, "WATCHDOG=1", 1, early)
        self.assertFalse([x for x in heard if "READY" in x])
        early.terminate()
        self.finish(early)

        listener, address = self.manager("second")
        heard = []
        head, where = self.head()
        worker = self.worker(where, "w", env=self.watched(address))
        self.wait_to_hear(listener, heard, "READY=1\nSTATUS=joined as node w", child=worker)
        worker.terminate()
        self.finish(worker)
        self.wait_to_hear(listener, heard, "STOPPING=1")
        head.terminate()
        self.finish(head)

    def test_nobody_is_watched_who_is_not_meant(self):
        listener, address = self.manager()
        heard = []
        head, _ = self.head(env=self.watched(address, WATCHDOG_PID="1"))
        self.wait_to_hear(listener, heard, "READY=1", child=head)
        head.terminate()
        self.finish(head)
        self.assertFalse([x for x in self.take(listener, heard) if "WATCHDOG" in x])

    def test_a_manager_that_is_not_there_disturbs_nothing(self):
        for address in ("/nonexistent/socket", "relative", "@", "x" * 200, ""):
            with self.subTest(address):
                head, _ = self.head(env=self.watched(address, "nonsense"))
                head.terminate()
                self.finish(head)
        self.assertTrue(os.path.isdir(self.storage))


if __name__ == "__main__":
    main()

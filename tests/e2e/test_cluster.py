# SPDX-License-Identifier: BSD-3-Clause
"""A head and workers on one machine: see cluster.py for the tests."""
import os
import socket

from cluster import Cluster, ClusterTests
from e2e import main


class OneMachine(ClusterTests, Cluster):
    def test_strangers_at_the_port_disturb_no_worker(self):
        head, where = self.head(self.gated(samples=4))
        workers = [self.worker(where, name, "--once", cpus=2) for name in ("one", "two")]
        self.wait_for_attempts(4, head)
        host, port = where.rsplit(":", 1)
        noise = os.urandom(500)

        for i in range(200):
            with socket.create_connection((host, int(port)), timeout=30) as link:
                link.sendall(noise[i : i + 1 + i])
        self.open_gate()

        self.finish(head)
        ends = [row["end_class"] for row in self.attempts()]
        self.assertEqual(ends, ["finished"] * 4, noise.hex())
        for worker in workers:
            self.finish(worker)


if __name__ == "__main__":
    main()

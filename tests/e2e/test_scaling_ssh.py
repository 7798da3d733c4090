# SPDX-License-Identifier: BSD-3-Clause
"""examples/scaling/ssh.sh with two real sshd on loopback as other machines."""
import re
import shlex
import shutil
import signal
import sys
from pathlib import Path

from e2e import ROOT, TUNE_NODE, main
from test_launch import CLIENT, SSHD, Launch


class ScalingBySsh(Launch):
    def setUp(self):
        super().setUp()
        self.certs = self.directory / "certs"
        self.run_node("certs", "init", "--certs", self.certs)

    def names(self):
        """A configuration by which ssh knows the machines as `one` and `two`."""
        config = self.directory / "ssh_config"
        config.write_text("".join(
            "Host %s\n  HostName 127.0.0.1\n  Port %d\n" % (name, server.port)
            for name, server in zip(("one", "two"), self.servers))
            + CLIENT % {"key": self.root / "key"})
        return config

    def workers(self):
        """Processes that were begun over ssh, but for sshd's own."""
        marks = [str(x.home).encode() for x in self.servers]
        result = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                environment = (entry / "environ").read_bytes()
                name = (entry / "comm").read_text()
            except OSError:
                continue
            if name.startswith("tune-node") and any(x in environment for x in marks):
                result.append(entry.name)
        return result

    def test_a_worker_begins_and_ends_on_each_machine_as_needed(self):
        command = "SSH=%s PROGRAM=%s %s 'one two' --certs %s --cpus 1" % (
            shlex.quote("ssh -F %s" % self.names()), TUNE_NODE,
            ROOT / "examples" / "scaling" / "ssh.sh", self.certs)
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                "head", "--listen", "127.0.0.1:0", "--no-local", "--certs", self.certs,
                "--storage", self.directory / "results", "--scale-command", command,
                "--scale-max", 2, "--scale-cooldown", "1s", "--scale-down-cooldown", "1s",
                "--scale-idle", "2s", stderr=err)
        self.wait_until(lambda: "--head" in log.read_text(), head)
        where = re.search(r"--head (\S+)", log.read_text()).group(1)
        run = self.start("run", self.spec(4), "--head", where, "--certs", self.certs)
        self.wait_for_nodes(2, run)

        self.gate.touch()
        self.finish(run)
        self.wait_until(lambda: not self.workers(), head, "the end of the workers")

        rows = self.rows("SELECT DISTINCT node, end_class FROM attempts ORDER BY node")
        self.assertEqual([(x["node"], x["end_class"]) for x in rows],
                         [("one", "finished"), ("two", "finished")])
        self.assertRegex(log.read_text(), "gives back (one|two)")
        head.send_signal(signal.SIGTERM)
        self.finish(head)


if __name__ == "__main__":
    if not SSHD or not shutil.which("ssh-keygen"):
        print("skipped: no sshd (openssh-server)")
        sys.exit(77)
    main()

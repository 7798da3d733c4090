# SPDX-License-Identifier: BSD-3-Clause
"""An experiment on a file system that another process serves (sshfs, without a network): two heads want
it, the server stalls, the server dies. Skipped, with the reason, where none can be mounted."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e import ROOT, Case, clean_environment, main

SKIPPED = 77
TRIAL = Path(__file__).with_name("saving_trial.py")
SERVERS = ("/usr/lib/openssh/sftp-server", "/usr/lib/sftp-server", "/usr/libexec/sftp-server")


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


class Served:
    """A directory, and the place where it is mounted."""

    def __init__(self, below, server):
        self.exported, self.mounted = below / "exported", below / "mounted"
        self.exported.mkdir()
        self.mounted.mkdir()
        # What the kernel says of such file systems.
        self.control = below / "control"
        self.control.mkdir()
        self.number = below / "server.pid"
        self.program = below / "server.sh"
        self.program.write_text("#!/bin/sh\necho $$ > '%s'\nexec %s\n" % (self.number, server))
        self.program.chmod(0o755)

    def mount(self):
        """@returns why it cannot be mounted; empty: it is."""
        if not os.path.ismount(self.control):
            done = subprocess.run(
                ["mount", "-t", "fusectl", "none", self.control], capture_output=True, text=True)
            if done.returncode != 0:
                return done.stderr.strip() or "mount fails"
        done = subprocess.run(
            ["sshfs", "-o", "ssh_command=%s" % self.program, "none:%s" % self.exported, self.mounted],
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )
        if done.returncode == 0:
            self.connection = os.minor(os.stat(self.mounted).st_dev)
            self.server = int(self.number.read_text())
        return "" if done.returncode == 0 else done.stderr.strip() or "sshfs fails"

    def signal(self, which):
        os.kill(self.server, which)

    def is_waited_for(self):
        """Whether somebody waits for an answer of the server."""
        return int((self.control / str(self.connection) / "waiting").read_text()) > 0

    def close(self):
        self.unmount()
        subprocess.run(["umount", "-l", self.control], capture_output=True)

    def unmount(self):
        subprocess.run(["fusermount3", "-u", "-z", self.mounted], capture_output=True)


def server_here():
    found = [x for x in SERVERS if os.access(x, os.X_OK)]
    if not shutil.which("sshfs") or not found:
        skip("there is no sshfs, or no sftp-server")
    if not os.access("/dev/fuse", os.W_OK):
        skip("/dev/fuse cannot be opened")
    if os.geteuid() != 0:
        skip("only root may mount what the kernel says of FUSE")
    with tempfile.TemporaryDirectory(prefix="tune-mount-") as folder:
        trial = Served(Path(folder), found[0])
        why = trial.mount()
        trial.close()
    if why:
        skip("a directory cannot be mounted: " + why)
    return found[0]


class NetworkStorage(Case):
    server = None

    def setUp(self):
        super().setUp()
        self.served = Served(self.directory, self.server)
        self.addCleanup(self.served.close)
        self.assertEqual(self.served.mount(), "")
        self.gate = self.directory / "gate"
        self.environment = {
            **clean_environment(), "GATE": str(self.gate), "PYTHON_OF_TUNE": str(ROOT / "python")}
        self.path = self.ini(
            "\n".join([
                "[experiment]", "name = x", "storage = mounted", "metric = loss", "mode = min",
                "num_samples = 2", "seed = 3",
                "[trainable]", "command = %s %s 6 1000 4" % (sys.executable, TRIAL),
                "[space]", "lr = uniform(0.1, 1)", "[checkpoint]", "frequency = 1", "keep = 2",
            ])
        )
        self.where = self.served.mounted / "x"

    def iterations(self):
        """How far the trials are."""
        done = self.run_node("trials", self.where, "-o", "json", code=None)
        return [x["iterations"] for x in done.json()] if done.code == 0 else []

    def begin(self):
        """A run whose trials wait, after three reports, for the gate."""
        child = self.start("run", self.path, "-q", env=self.environment)
        self.wait_until(lambda: self.iterations() == [3, 3], child, "three reports of each trial")
        return child

    def assert_whole(self):
        self.assertEqual(self.iterations(), [6, 6])
        self.assertIn("nothing found", self.run_node("fsck", self.where).out)

    def test_two_heads_do_not_share_it(self):
        child = self.begin()
        for words in (("run", self.path), ("resume", self.where)):
            other = self.run_node(*words, "-q", code=8, env=self.environment)
            self.assertIn("pid %d" % child.pid, other.err)
        self.gate.touch()
        self.finish(child)
        self.assert_whole()

    def test_a_server_that_stalls_is_waited_for(self):
        child = self.begin()
        self.served.signal(signal.SIGSTOP)
        try:
            self.gate.touch()
            self.wait_until(self.served.is_waited_for, child, "a request to the server")
        finally:
            self.served.signal(signal.SIGCONT)
        self.finish(child)
        self.assert_whole()

    def test_a_server_that_dies_costs_what_was_not_told(self):
        child = self.begin()
        self.served.signal(signal.SIGKILL)
        self.gate.touch()
        self.finish(child, 7)
        self.served.unmount()
        self.assertEqual(self.served.mount(), "")
        self.run_node("resume", self.where, "-q", env=self.environment)
        self.assert_whole()


if __name__ == "__main__":
    NetworkStorage.server = server_here()
    main()

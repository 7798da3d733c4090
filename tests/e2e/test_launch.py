# SPDX-License-Identifier: BSD-3-Clause
"""`tune-node launch` with two real sshd on loopback as other machines."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from e2e import TUNE_NODE, Case, main, processes_of
from gated_trial import GATED

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")

SERVER = """Port %(port)d
ListenAddress 127.0.0.1
HostKey %(root)s/host_key
AuthorizedKeysFile %(root)s/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv XDG_CACHE_HOME=%(home)s/cache TMPDIR=%(home)s/tmp
"""

CLIENT = """Host *
  IdentityFile %(key)s
  IdentitiesOnly yes
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking no
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """An sshd, and what a user of it has at home."""

    def __init__(self, root, name):
        self.home = root / name
        (self.home / "tmp").mkdir(parents=True)
        for _ in range(10):
            self.port = free_port()
            config = root / (name + ".conf")
            config.write_text(SERVER % {"port": self.port, "root": root, "home": self.home})
            with open(root / (name + ".log"), "ab") as log:
                self.child = subprocess.Popen(
                    [SSHD, "-D", "-e", "-f", config], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=log)
            if self.answers():
                return
        raise AssertionError((root / (name + ".log")).read_text())

    def answers(self):
        until = time.monotonic() + 20
        while time.monotonic() < until and self.child.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.02)
        return False

    def end(self):
        self.child.kill()
        self.child.wait()

    def text(self):
        return "127.0.0.1:%d" % self.port


class Launch(Case):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="tune-ssh-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        if os.geteuid() == 0:
            # sshd of the system makes it when it starts.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        for name in ("host_key", "key", "wrong_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", cls.root / name],
                           check=True, stdin=subprocess.DEVNULL)
        shutil.copy(cls.root / "key.pub", cls.root / "authorized")
        cls.servers = []
        for name in ("one", "two"):
            cls.servers.append(Server(cls.root, name))
            cls.addClassCleanup(cls.servers[-1].end)

    def setUp(self):
        super().setUp()
        self.gate = self.directory / "gate"
        (self.directory / "trial.sh").write_text(GATED)
        (self.directory / "trial.sh").chmod(0o755)

    def ssh(self, key="key"):
        config = self.root / (key + ".config")
        config.write_text(CLIENT % {"key": self.root / key})
        return "ssh -F %s" % config

    def spec(self, samples=3, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./trial.sh {x}\nenv.GATE = %s\n[space]\nx = uniform(0, 1)\n"
            "[cluster]\ncpus = 1\nlost_after = 2s\n%s" % (samples, self.gate, more))

    def words(self, ini, *more, hosts=None, key="key"):
        hosts = hosts or ",".join(x.text() for x in self.servers)
        return ("launch", ini, "--hosts", hosts, "--ssh", self.ssh(key), "--cpus", 1, *more)

    def launch(self, *words, **how):
        self.said = self.directory / "launch.log"
        out = open(self.said, "wb")
        self.addCleanup(out.close)
        return self.start(*self.words(*words, **how), stderr=out)

    def wait_for_nodes(self, count, child):
        query = "SELECT DISTINCT node FROM attempts WHERE attempt IN (SELECT attempt FROM results)"
        self.wait_until(lambda: len(self.rows_if_any(query)) >= count, child,
                        "%d nodes with trials that report" % count)

    def workers(self):
        """Pids of the workers on the other machines."""
        homes = [("TMPDIR=%s/tmp" % x.home).encode() for x in self.servers]
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                variables = (entry / "environ").read_bytes().split(b"\0")
                if words[1:2] == [b"worker"] and any(x in variables for x in homes):
                    found.append(int(entry.name))
        return found

    def there(self):
        """What is left of workers on the other machines."""
        return sorted(str(y) for x in self.servers for y in (x.home / "tmp").iterdir())

    def assert_nothing_left(self):
        self.wait_until(lambda: not self.there(), None, "the end of the workers' directories")
        for server in self.servers:
            self.assertEqual(processes_of(server.home), [])
        self.assertEqual(sorted(x.name for x in (self.directory / "results").iterdir()), ["x"])
        self.assert_no_trial_processes()


class Working(Launch):
    def test_runs_on_all_machines_and_leaves_nothing(self):
        child = self.launch(self.spec())
        self.wait_for_nodes(3, child)
        for server in self.servers:
            for path in (server.home / "tmp").rglob("*.key"):
                self.assertEqual(path.stat().st_mode & 0o077, 0)
        self.gate.touch()

        out = self.finish(child).out

        self.assertIn("3 trials: 3 terminated", out)
        self.assert_nothing_left()
        said = self.said.read_text()
        for server in self.servers:
            self.assertIn("%s: connecting" % server.text(), said)
            self.assertIn("%s: joined as node 127.0.0.1" % server.text(), said)
        # The program is there now, and not copied again.
        self.gate.touch()
        again = self.run_node(*self.words(self.spec(samples=4)))
        self.assertNotIn("copying", again.err)
        self.assertIn("4 trials: 4 terminated", again.out)

    def test_workers_dial_directly(self):
        child = self.launch(self.spec(2, "local = false\n"), "--direct")
        self.wait_for_nodes(2, child)
        self.gate.touch()

        self.finish(child)

        self.assert_nothing_left()

    def test_hosts_may_stand_in_the_file(self):
        self.gate.touch()
        ini = self.spec(2, "local = false\nhosts = %s\n" % self.servers[0].text())

        ran = self.run_node("launch", ini, "--ssh", self.ssh())

        self.assertIn("2 trials: 2 terminated", ran.out)
        self.assert_nothing_left()

    def test_ctrl_c_leaves_off_and_ends_the_workers(self):
        child = self.launch(self.spec())
        self.wait_for_nodes(3, child)

        child.send_signal(signal.SIGINT)
        self.finish(child, 130)

        self.assert_nothing_left()
        # The same command goes on.
        self.gate.touch()
        self.assertIn("3 trials: 3 terminated", self.run_node(*self.words(self.spec())).out)

    def test_ends_where_none_of_the_machines_is_left(self):
        child = self.launch(self.spec(2, "local = false\n"))
        self.wait_for_nodes(2, child)

        workers = self.workers()
        self.assertEqual(len(workers), 2)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        self.finish(child, 6)

        said = self.said.read_text()
        self.assertIn("none of the machines is left: leaving off in order", said)
        self.assertIn("none of the machines is left: the same command goes on", said)
        self.gate.touch()
        again = self.run_node(*self.words(self.spec(2, "local = false\n")))
        self.assertIn("2 trials: 2 terminated", again.out)
        self.assert_nothing_left()

    def test_a_killed_client_leaves_nothing_there(self):
        child = self.launch(self.spec())
        self.wait_for_nodes(3, child)

        child.kill()
        self.finish(child, None)

        self.wait_until(lambda: not self.there(), None, "the end of the workers' directories")
        for server in self.servers:
            self.assertEqual(processes_of(server.home), [])


class Failing(Launch):
    def refused(self, *words, **how):
        told = self.run_node(*self.words(self.spec(), *words, **how), code=6)
        self.assertIn("nothing was run", told.err)
        self.assertFalse((self.directory / "results" / "x").exists())
        return told.err

    def test_a_wrong_key_is_named(self):
        told = self.refused(key="wrong_key")

        for server in self.servers:
            self.assertRegex(told, "%s: failed: .*Permission denied" % server.text())

    def test_a_missing_machine_is_named_and_can_be_done_without(self):
        hosts = self.servers[0].text() + ",no-such-host.invalid"
        told = self.refused(hosts=hosts)
        self.assertRegex(told, "no-such-host.invalid: failed: .*no-such-host")
        self.assertIn("1 machine of 2 cannot take part; --partial runs with the others", told)

        self.gate.touch()
        ran = self.run_node(*self.words(self.spec(), "--partial", hosts=hosts))
        self.assertIn("3 trials: 3 terminated", ran.out)

    def test_a_directory_that_is_missing_there_is_named(self):
        told = self.refused("--work", "/not/there")

        for server in self.servers:
            self.assertIn("%s: failed: cannot make a directory in /not/there" % server.text(), told)

    def test_a_program_of_another_version_is_named(self):
        old = self.directory / "old-tune-node"
        old.write_text("#!/bin/sh\necho tune-node 0.0.1 '(CAF 0.17.6)'\n")
        old.chmod(0o755)

        told = self.refused("--program", old)

        self.assertIn("its %s is tune-node 0.0.1 (CAF 0.17.6), and this is tune-node" % old, told)
        self.assertIn("there is no program /not/there", self.refused("--program", "/not/there"))

    def test_the_program_that_is_there_can_be_used(self):
        self.gate.touch()

        ran = self.run_node(*self.words(self.spec(), "--program", TUNE_NODE))

        self.assertIn("3 trials: 3 terminated", ran.out)
        self.assertNotIn("copying", ran.err)

    def test_hosts_that_are_none_are_refused(self):
        for hosts, part in (("-oProxyCommand=touch x", "names no machine"), ("a,a", "named twice"),
                            ("a:0", "has no port")):
            told = self.run_node("launch", self.spec(), "--hosts=" + hosts, code=3)
            self.assertIn(part, told.err)
        self.assertIn("no machines: ", self.run_node("launch", self.spec(), code=3).err)


if __name__ == "__main__":
    if not SSHD or not shutil.which("ssh-keygen"):
        print("skipped: no sshd (openssh-server)")
        sys.exit(77)
    main()

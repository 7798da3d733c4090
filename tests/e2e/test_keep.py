# SPDX-License-Identifier: BSD-3-Clause
"""`tune-node launch --keep` and `down`, with two real sshd on loopback as other machines."""
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

from e2e import main
from test_launch import SSHD, Launch


class Keep(Launch):
    def setUp(self):
        super().setUp()
        self.state = self.directory / "results" / ".cluster"
        self.addCleanup(self.end_keeper)

    def end_keeper(self):
        pid = self.keeper()
        if pid:
            os.kill(pid, signal.SIGKILL)
            self.wait_until(lambda: not self.there(), None, "the end of the workers")

    def keeper(self):
        """The keeper's pid, if it lives."""
        lock = self.state / "lock"
        if not lock.exists() or not lock.read_text():
            return None
        pid = int(lock.read_text())
        words = Path("/proc/%d/cmdline" % pid)
        return pid if words.exists() and b"__tune-keeper" in words.read_bytes() else None

    def keep(self, *words, hosts=None, key="key", code=0):
        hosts = hosts or ",".join(x.text() for x in self.servers)
        return self.run_node("launch", "--keep", "--hosts", hosts, "--ssh", self.ssh(key),
                             "--cpus", 1, *words, code=code)

    def down(self, *words, code=0):
        return self.run_node("down", *words, code=code)

    def submit(self, told, samples=3):
        """Submits an experiment as it was told."""
        line = re.search(r"^run: .* run FILE (--head \S+ --certs \S+)$", told.out, re.M).group(1)
        head, certs = re.match(r"--head (\S+) --certs (\S+)", line).groups()
        return self.start("run", self.spec(samples), "--head", head, "--certs", certs)

    def assert_down(self):
        self.assertEqual(self.there(), [])
        self.assertFalse(self.state.exists())
        self.assertIsNone(self.keeper())
        self.assert_no_trial_processes()


class Standing(Keep):
    def test_stands_until_it_is_told_to_go(self):
        told = self.keep("--no-local")
        self.assertIn("workers: 2 of 2 machines", told.out)
        for server in self.servers:
            self.assertIn("%s: joined as node" % server.text(), told.err)
        keys = self.state.rglob("*.key")
        for path in (self.state, *self.state.glob("*.json"), self.state / "log", *keys):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        run = self.submit(told, 2)
        self.wait_for_nodes(2, run)
        self.gate.touch()
        self.assertIn("2 trials: 2 terminated", self.finish(run).out)

        told = self.down()

        for server in self.servers:
            self.assertIn("%s: clean" % server.text(), told.err)
        self.assert_down()
        self.assertTrue((self.directory / "results" / "x").exists())

    def test_what_runs_is_left_off_in_order_and_goes_on(self):
        run = self.submit(self.keep("--no-local"), 2)
        self.wait_for_nodes(2, run)

        self.down()

        self.finish(run, 75)
        self.assert_down()
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "interrupted")
        ends = {x["end_class"] for x in self.rows("SELECT end_class FROM attempts")}
        self.assertEqual(ends, {"interrupted"})

    def test_down_now_ends_it_at_once(self):
        run = self.submit(self.keep(), 2)
        self.wait_for_nodes(2, run)

        self.down("--now")

        self.finish(run, 6)
        self.assert_down()

    def test_again_adds_machines_and_mends(self):
        one, two = self.servers
        told = self.keep(hosts=one.text())
        self.assertIn("workers: 1 of 1 machines", told.out)
        keeper = self.keeper()

        told = self.keep(hosts=two.text())
        self.assertIn("workers: 2 of 2 machines", told.out)
        self.assertNotIn("%s: joined" % one.text(), told.err)
        # Nothing is doubled.
        told = self.keep()
        self.assertIn("workers: 2 of 2 machines", told.out)
        self.assertEqual(len(self.there()), 2)
        # A worker that died is begun anew.
        directory = Path(next(x for x in self.there() if str(one.home) in x))
        os.kill(int((directory / "pid").read_text()), signal.SIGKILL)
        self.wait_until(lambda: "gone" in (self.state / "seen.json").read_text(), None, "its end")
        told = self.keep()
        self.assertIn("%s: joined" % one.text(), told.err)
        self.assertIn("workers: 2 of 2 machines", told.out)
        self.assertEqual(self.keeper(), keeper)

        self.down()
        self.assert_down()

    def test_a_killed_keeper_leaves_what_down_cleans(self):
        self.keep()
        os.kill(self.keeper(), signal.SIGKILL)

        self.down()

        self.assert_down()

    def test_a_killed_keeper_is_followed_by_another(self):
        self.keep()
        os.kill(self.keeper(), signal.SIGKILL)
        self.wait_until(lambda: not self.there(), None, "the end of the workers")

        told = self.keep()

        self.assertIn("workers: 2 of 2 machines", told.out)
        self.down()
        self.assert_down()

    def test_down_cleans_a_worker_that_nothing_holds_any_more(self):
        self.keep()
        # Neither the keeper nor the shell beside the worker are there to end it.
        for path in self.there():
            worker = int((Path(path) / "pid").read_text())
            with open("/proc/%d/stat" % worker) as file:
                shell = int(file.read().rsplit(")", 1)[1].split()[1])
            os.kill(shell, signal.SIGSTOP)
            self.addCleanup(self.end, shell)
        os.kill(self.keeper(), signal.SIGKILL)

        self.down()

        self.assert_down()

    def end(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def test_a_killed_down_can_be_begun_again(self):
        run = self.submit(self.keep(), 2)
        self.wait_for_nodes(2, run)
        down = self.start("down")
        time.sleep(0.3)
        down.kill()
        self.finish(down, None)

        if self.state.exists():
            self.down()

        self.finish(run, 75)
        self.assert_down()


class Failing(Keep):
    def test_a_machine_that_fails_is_named_and_the_others_stand(self):
        hosts = self.servers[0].text() + ",no-such-host.invalid"
        told = self.keep(hosts=hosts, code=6)
        self.assertRegex(told.err, "no-such-host.invalid: failed: .*no-such-host")
        self.assertIn("workers: 1 of 2 machines", told.out)

        told = self.down(code=6)

        self.assertIn("%s: clean" % self.servers[0].text(), told.err)
        self.assertRegex(told.err, "no-such-host.invalid: failed: not cleaned: .*; a worker may be "
                                   "left, in its .TMPDIR or /tmp/tune-launch-")
        self.assertIn("1 machine of 2 could not be cleaned", told.err)
        self.assertTrue(self.state.exists())
        self.assertEqual(self.there(), [])

    def test_wrong_words_are_refused(self):
        for words, part, code in (
            (("launch", "--keep"), "no machines: ", 3),
            (("launch",), "launch needs FILE, or --keep", 2),
            (("launch", self.spec(), "--hosts", "a", "--storage", "x"), "goes with --keep", 2),
            (("launch", "--keep", "--hosts", "a", "--partial"), "does not go with --keep", 2),
            (("launch", "--keep", "--hosts", "a:0"), "has no port", 3),
            (("down",), "has no cluster in", 3),
            (("down", self.directory / "not" / "there"), "has no cluster in", 3),
        ):
            self.assertIn(part, self.run_node(*words, code=code).err)
        self.assertFalse(self.state.exists())

    def test_a_directory_that_is_open_to_others_is_refused(self):
        self.state.mkdir(parents=True)
        self.state.chmod(0o755)

        self.assertIn("is open to others", self.keep(code=8).err)
        self.assertIn("is open to others", self.down(code=8).err)


if __name__ == "__main__":
    if not SSHD or not shutil.which("ssh-keygen"):
        print("skipped: no sshd (openssh-server)")
        sys.exit(77)
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""A running experiment, steered from another terminal. A… and B… in names refer to lines of
docs/ray-behaviours.md."""
import json
import os
import resource
import socket
import stat
import subprocess
import unittest

from controlled import ControlCase
from e2e import DEADLINE, main, peak_memory


class Stop(ControlCase):
    def test_a2_1_and_a10_3_running_and_pending_trials_are_stopped_and_the_next_starts(self):
        child = self.begin(self.stepping(samples=4, steps=2), running=2)
        self.wait_for_statuses(child, RUNNING=2, PENDING=2)

        told = self.control("stop", "0")
        self.assertIn("trial 00000: it is told to end", told.out)
        self.let(0, 1)
        self.wait_for_statuses(child, RUNNING=2, PENDING=1, TERMINATED=1)
        self.control("stop", "3")
        self.wait_for_statuses(child, RUNNING=2, PENDING=0, TERMINATED=2)

        self.assertEqual(self.statuses()[3], "TERMINATED")
        self.let_all()
        result = self.finish(child).json()
        self.assertEqual(result["counts"]["TERMINATED"], 4)
        reasons = self.rows("SELECT reason FROM trials ORDER BY trial")
        self.assertEqual([row["reason"] for row in reasons][0], "stopped by a client")
        self.assertEqual([row["reason"] for row in reasons][3], "stopped by a client")
        # The running trial reported its last result; the waiting one never had a process.
        self.assertEqual(self.iterations(0), [1])
        self.assertEqual(self.rows("SELECT count(*) AS n FROM attempts")[0]["n"], 3)

    def test_a_paused_and_an_ended_trial_are_stopped_too(self):
        child = self.begin(self.stepping(samples=2, steps=2), running=2)
        self.control("pause", "0")
        self.let(0, 1)
        self.let(1, 2)
        self.wait_for_status(child, 0, "PAUSED")
        self.wait_for_status(child, 1, "TERMINATED")

        told = self.control("stop", "0", "1", "-o", "json").json()

        self.assertEqual([x["outcome"] for x in told], ["taken", "needless"])
        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 2)

    def test_what_is_no_trial_is_exit_3(self):
        child = self.begin(self.stepping(samples=1), running=1)

        ran = self.control("stop", "0", "77", code=3)

        self.assertIn("trial 00077: there is no such trial", ran.err)
        # The other trial was stopped all the same.
        self.assertIn("trial 00000: it is told to end", ran.out)
        self.let_all()
        self.finish(child)

    def test_a10_4_the_whole_experiment_is_stopped(self):
        child = self.begin(self.stepping(samples=5), running=2)

        told = self.control("stop")
        self.assertIn("x: all trials are told to end", told.out)
        again = self.control("stop", code=None)
        self.let_all()
        result = self.finish(child, None)

        self.assertEqual(result.json()["status"], "stopped")
        self.assertEqual(result.json()["counts"]["RUNNING"], 0)
        self.assertEqual(result.json()["counts"]["TERMINATED"], 5)
        self.assertIn(again.code, (0, 6, 8), again)
        self.assert_no_trial_processes()


class Pause(ControlCase):
    def test_a1_4_a_paused_trial_has_a_checkpoint_and_goes_on_from_it(self):
        child = self.begin(self.stepping(samples=1, steps=3), running=1)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)

        told = self.control("pause", "0")
        self.assertIn("it pauses as soon as it has saved", told.out)
        self.let(0, 2)
        self.wait_for_status(child, 0, "PAUSED")
        kept = self.rows("SELECT * FROM checkpoints")
        self.assertEqual([row["training_iteration"] for row in kept], [2])
        self.assert_no_trial_processes()
        self.assertEqual(self.status()["head"]["held"], 1)

        self.control("unpause", "0")
        self.wait_for_status(child, 0, "RUNNING")
        self.let_all()
        self.finish(child)

        # The trial counted on, and no iteration was repeated.
        self.assertEqual(self.iterations(0), [1, 2, 3])
        self.assertEqual(
            self.trial_file(0, "stdout").read_text().split("\n")[:5],
            ["from 0", "step 1", "step 2", "from 2", "step 3"],
        )

    def test_a_paused_trial_gives_its_place_to_the_next(self):
        child = self.begin(self.stepping(samples=2, slots=1), running=1)
        self.control("pause", "0")
        self.let(0, 1)
        self.wait_for_status(child, 1, "RUNNING")
        self.assertEqual(self.statuses()[0], "PAUSED")

        self.let_all()
        self.wait_for_status(child, 1, "TERMINATED")
        # Only a client can wake the trial, and it does not count as a stall.
        self.assertEqual(self.statuses()[0], "PAUSED")
        self.assertIsNone(child.poll())
        self.control("unpause", "0")
        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 2)

    def test_a_pending_trial_waits_until_it_is_unpaused(self):
        child = self.begin(self.stepping(samples=3, slots=1, steps=1), running=1)
        self.control("pause", "1")
        self.let_all()
        self.wait_for_status(child, 2, "TERMINATED")
        self.assertEqual(self.statuses()[1], "PENDING")

        self.control("unpause", "1")

        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 3)

    def test_a_paused_experiment_starts_nothing_and_lets_go_on_what_runs(self):
        child = self.begin(self.stepping(samples=4, slots=2, steps=1), running=2)

        self.control("pause")
        self.let_all()
        self.wait_for_statuses(child, TERMINATED=2, RUNNING=0, PENDING=2)
        self.assertEqual(self.status()["status"], "paused")
        self.assertTrue(self.status()["head"]["paused"])
        self.control("unpause")

        result = self.finish(child)
        self.assertEqual(result.json()["counts"]["TERMINATED"], 4)
        self.assertIn("nothing runs: the experiment is paused", result.err)

    def test_a_trial_that_cannot_save_is_not_paused(self):
        ini = self.experiment(
            "print loss=1 wait_for %s" % (self.gates / "free"), report="line", samples=1
        )
        child = self.begin(ini, running=1)

        ran = self.control("pause", "0", code=8)

        self.assertIn("its trainable cannot save", ran.err)
        self.let_all()
        self.finish(child)


class Add(ControlCase):
    def test_a10_1_an_added_trial_is_listed_and_runs(self):
        child = self.begin(self.stepping(samples=2), running=2)

        told = self.control("add", "lr=0.25", "-o", "json").json()

        self.assertEqual(told[0]["trial"], "00002")
        listed = self.run_node("trials", self.where, "-o", "json").json()
        self.assertEqual(listed[2]["config"], {"lr": 0.25})
        self.let_all()
        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 3)
        self.assertEqual(self.iterations(2), [1, 2, 3])

    def test_a_key_adds_once(self):
        child = self.begin(self.stepping(samples=1), running=1)

        first = self.control("add", "--config", '{"lr": 0.5}', "--key", "mine", "-o", "json").json()
        again = self.control("add", "--config", '{"lr": 0.5}', "--key", "mine", "-o", "json").json()

        self.assertEqual([first[0]["outcome"], again[0]["outcome"]], ["taken", "needless"])
        self.assertEqual(first[0]["trial"], again[0]["trial"])
        self.let_all()
        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 2)

    def test_what_is_not_in_the_space_is_exit_3(self):
        space = "lr = uniform(0, 1)\nkind = choice(a, b)\nbatch = 64"
        child = self.begin(self.stepping(samples=1, space=space), running=1)

        def is_refused():
            for words, complaint in (
                (["lr=7", "kind=a"], '"lr"'),
                (["lr=0.5"], '"kind": is missing'),
                (["lr=0.5", "kind=a", "hue=1"], '"hue"'),
                (["--config", "{"], "--config"),
            ):
                ran = self.control("add", *words, code=3)
                self.assertIn(complaint, ran.err)
                self.assertEqual(len(ran.err.splitlines()), 1)

        is_refused()
        self.control("add", "lr=0.5", "kind=b")

        added = self.rows("SELECT config FROM trials ORDER BY trial")[1]["config"]
        self.assertEqual(json.loads(added), {"lr": 0.5, "kind": "b", "batch": 64})
        self.let_all()
        self.finish(child)
        is_refused()
        self.assertIn(" --add ", self.control("add", "lr=0.5", "kind=b", code=6).err)


class Retry(ControlCase):
    def test_an_errored_trial_runs_again_from_its_checkpoint(self):
        more = "[checkpoint]\nfrequency = 1"
        child = self.begin(self.stepping(samples=2, slots=1, steps=2, more=more), running=1)
        # The second trial keeps the experiment going without running.
        self.control("pause", "1")
        self.let(0, 1)
        self.wait_until(lambda: self.rows("SELECT * FROM checkpoints"), child)
        (self.gates / "broken").touch()
        self.wait_for_status(child, 0, "ERRORED")
        (self.gates / "broken").unlink()
        self.let_all()

        self.control("retry", "0")
        self.wait_for_status(child, 0, "TERMINATED")
        self.control("unpause", "1")

        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 2)
        self.assertEqual(self.iterations(0), [1, 2])
        self.assertIn("from 1", self.trial_file(0, "stdout").read_text())

    def test_ended_trials_run_again_while_the_run_goes_on(self):
        more = "[checkpoint]\nfrequency = 1"
        child = self.begin(self.stepping(samples=3, slots=3, steps=2, more=more), running=3)
        self.let(1, 2)
        self.wait_for_status(child, 1, "TERMINATED")

        refused = self.control("retry", "0", code=8)
        self.assertIn("trial 00000: it has not ended", refused.err)
        self.control("retry", "1", "--from-scratch")
        self.wait_until(lambda: len(self.iterations(1)) == 4, child)
        self.let_all()
        self.finish(child)

        lineages = self.rows(
            "SELECT lineage FROM attempts WHERE trial = 1 ORDER BY started"
        )
        self.assertEqual([row["lineage"] for row in lineages], [1, 2])
        self.assertEqual(self.iterations(1), [1, 2, 1, 2])


    def test_a_trial_that_ends_before_it_runs_again_keeps_what_it_reported(self):
        child = self.begin(self.stepping(samples=3, slots=1, steps=2), running=1)
        self.let(0, 2)
        self.wait_for_status(child, 1, "RUNNING")

        self.control("retry", "0")
        self.control("stop", "0")
        self.let_all()
        self.finish(child)

        row = self.rows("SELECT status, iterations FROM trials WHERE trial = 0")[0]
        self.assertEqual((row["status"], row["iterations"]), ("TERMINATED", 2))


class Status(ControlCase):
    def test_a_running_and_an_ended_experiment_tell_how_they_stand(self):
        child = self.begin(self.stepping(samples=3), running=2)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)

        told = self.status()
        self.assertEqual(told["status"], "running")
        self.assertTrue(told["led"])
        self.assertEqual(told["head"]["pid"], child.pid)
        self.assertEqual(told["head"]["cpu"], {"used": 2.0, "total": 2.0})
        self.assertEqual(told["counts"]["RUNNING"], 2)
        self.assertEqual(told["best"]["metrics"]["loss"], 1.0)
        self.assertEqual([x["iterations"] for x in told["running"]], [1, 0])
        text = self.run_node("status", self.where).out
        self.assertIn("x: running for", text)
        self.assertIn("trial 00000: iteration 1, loss = 1", text)
        self.let_all()
        self.finish(child)

        told = self.status()
        self.assertEqual(told["status"], "done")
        self.assertFalse(told["led"])
        self.assertIsNone(told["head"])
        self.assertEqual(told["counts"]["TERMINATED"], 3)
        self.assertIn("x: done after", self.run_node("status", self.where).out)

    def test_a_killed_head_is_told_of(self):
        child = self.begin(self.stepping(samples=1), running=1)
        child.kill()
        child.wait()

        told = self.status()

        self.assertEqual(told["status"], "lost")
        self.assertFalse(told["led"])
        self.assertIn("nobody runs it", self.run_node("status", self.where).out)
        self.assert_no_trial_processes()


class Logs(ControlCase):
    def test_what_a_trial_prints_is_followed_to_its_end(self):
        child = self.begin(self.stepping(samples=2, steps=2), running=2)
        follower = self.start("logs", self.where, "0", "--follow", stdout=subprocess.PIPE)

        self.assertEqual(follower.stdout.readline(), "from 0\n")
        self.let(0, 1)
        self.assertEqual(follower.stdout.readline(), "step 1\n")
        self.assertIsNone(follower.poll())
        self.let(0, 2)

        self.assertEqual(self.finish(follower).out, "step 2\n")
        self.assertIsNone(child.poll())
        self.let_all()
        self.finish(child)
        self.assertEqual(self.control("logs", "0").out, "from 0\nstep 1\nstep 2\n")

    def test_a_trial_that_has_printed_nothing_yet_is_no_error(self):
        child = self.begin(self.stepping(samples=1), running=1)
        ran = self.control("logs", "0", "--stderr")
        self.assertEqual(ran.out, "")
        self.assertRegex(ran.err, "^tune-node: .*/00000/stderr: nothing was written there yet\n$")

        self.let_all()
        self.finish(child)
        self.assertIn("nothing was written there\n", self.control("logs", "0", "--stderr", code=3).err)

    def test_stderr_and_the_experiments_own_log_are_shown(self):
        ini = self.experiment("err oops tune report 1", more="[log]\nfile = tune.log")
        self.run_node("run", ini)

        self.assertEqual(self.control("logs", "0", "--stderr").out, "oops\n")
        self.assertIn("00000 TERMINATED", self.control("logs").out)
        self.assertIn("there is no trial 00009", self.control("logs", "9", code=3).err)

    def test_an_experiment_without_a_log_says_so(self):
        self.run_node("run", self.experiment("tune report 1"))

        ran = self.control("logs", code=3)

        self.assertIn("[log] file is not set", ran.err)


class Nobody(ControlCase):
    def test_runs_an_experiment_that_ended_and_one_line_says_so(self):
        self.run_node("run", self.experiment("tune report 1"))

        for words in (["stop"], ["pause"], ["unpause"], ["add", "x=1"], ["retry", "0"]):
            ran = self.control(*words, code=6)
            self.assertRegex(ran.err, "nobody runs this experiment now|this experiment is done")
            self.assertIn("tune-node resume", ran.err)
            self.assertEqual(len(ran.err.splitlines()), 1)

    def test_finds_a_socket_after_an_orderly_end(self):
        child = self.begin(self.stepping(samples=1), running=1)
        self.assertTrue((self.directory / self.where / ".control" / "socket").exists())
        self.let_all()
        self.finish(child)

        self.assertFalse((self.directory / self.where / ".control").exists())


class Socket(ControlCase):
    def place(self):
        return self.directory / self.where / ".control"

    def connect(self):
        """Connects a client's socket, even if the path is too long for one."""
        holder = os.open(self.place(), os.O_PATH | os.O_DIRECTORY)
        try:
            result = socket.socket(socket.AF_UNIX)
            result.settimeout(DEADLINE)
            self.addCleanup(result.close)
            result.connect("/proc/self/fd/%d/socket" % holder)
            return result
        finally:
            os.close(holder)

    def ask(self, to, line):
        to.sendall(line.encode() + b"\n")
        return json.loads(to.makefile("rb").readline())

    def test_is_open_to_its_owner_alone(self):
        child = self.begin(self.stepping(samples=1), running=1)

        self.assertEqual(stat.S_IMODE(self.place().stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((self.place() / "socket").stat().st_mode), 0o600)
        self.let_all()
        self.finish(child)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_refuses_another_user(self):
        child = self.begin(self.stepping(samples=1), running=1)
        self.directory.chmod(0o755)

        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        for words in (["stop", "0"], ["pause"], ["add", "lr=0.5"]):
            ran = self.run_node(words[0], self.where, *words[1:], code=8, preexec_fn=become_nobody)
            self.assertEqual(len(ran.err.splitlines()), 1, ran)
        # Even for a user who gets to the socket itself.
        self.place().chmod(0o777)
        (self.place() / "socket").chmod(0o777)
        ran = self.run_node("stop", self.where, "0", code=8, preexec_fn=become_nobody)
        self.assertIn("only the user who runs this experiment may control it", ran.err)

        self.assertEqual(self.statuses()[0], "RUNNING")
        self.let_all()
        self.finish(child)

    def test_of_a_killed_head_is_replaced(self):
        ini = self.stepping(samples=1)
        child = self.begin(ini, running=1)
        child.kill()
        child.wait()
        self.assertTrue((self.place() / "socket").exists())
        self.assertIn("nobody runs this experiment now", self.control("stop", code=6).err)
        for command in ("stop", "pause", "unpause", "retry"):
            self.assertIn("trial 00077: there is no such trial",
                          self.control(command, 77, code=3).err, command)

        again = self.begin(ini, "--resume", running=1)

        self.assertEqual(self.status()["head"]["pid"], again.pid)
        self.let_all()
        self.finish(again)
        self.assertFalse(self.place().exists())

    def test_may_have_a_path_of_any_length(self):
        long = "d" * 150
        child = self.start(
            "run", self.stepping(samples=1), "--experiment.storage", long, "-o", "json"
        )
        self.where = long + "/x"
        self.wait_for_head(child)
        self.control("stop")
        self.finish(child, None)

    def test_answers_nonsense_and_goes_on(self):
        child = self.begin(self.stepping(samples=1), running=1)
        client = self.connect()

        for line, complaint in (
            ("hello", "expected"),
            ("[]", "object"),
            ("{}", "op is missing"),
            ('{"op":"dance"}', "op is one of"),
            ('{"op":"stop","trials":["x"]}', "which is no trial"),
            ('{"op":"retry"}', "trials names none"),
        ):
            told = self.ask(client, line)
            self.assertFalse(told["ok"], told)
        self.assertEqual(self.ask(client, '{"op":"status"}')["status"]["pid"], child.pid)
        self.let_all()
        self.finish(child)

    def test_bears_a_thousand_clients_that_talk_nonsense_or_nothing(self):
        child = self.begin(self.stepping(samples=1), running=1)
        before = peak_memory(child.pid)
        flood = b"x" * 65536

        # Each client needs a descriptor here.
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], min(4096, limits[1])), limits[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)

        def bother(kind):
            client = None
            try:
                client = self.connect()
                if kind == 0:
                    return client
                if kind == 1:
                    for _ in range(40):
                        client.sendall(flood)
                if kind == 2:
                    client.sendall(b"\n" * 5000)
                if kind == 3:
                    client.sendall(b'{"op":"status"}\n' * 200)
            except OSError:
                pass
            return client

        clients = [bother(i % 4) for i in range(1000)]
        self.assertEqual(self.status()["head"]["pid"], child.pid)
        self.assertGreater(len([x for x in clients if x]), 900)
        for client in filter(None, clients):
            client.close()

        self.assertLess(peak_memory(child.pid) - before, 100 << 20)
        self.let_all()
        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 1)


class Promises(ControlCase):
    def test_1_what_a_client_saw_accepted_outlives_kill_9(self):
        ini = self.stepping(samples=4, slots=2)
        child = self.begin(ini, running=2)
        self.control("stop", "3")
        self.control("pause", "2")
        added = self.control("add", "lr=0.125", "--key", "mine", "-o", "json").json()
        child.kill()
        child.wait()

        again = self.begin(ini, "--resume", running=2)

        self.assertEqual(self.statuses()[3], "TERMINATED")
        twice = self.control("add", "lr=0.125", "--key", "mine", "-o", "json").json()
        self.assertEqual(twice[0]["outcome"], "needless")
        self.assertEqual(twice[0]["trial"], added[0]["trial"])
        self.let_all()
        self.wait_for_statuses(again, TERMINATED=4, RUNNING=0)
        self.assertEqual(self.statuses()[2], "PENDING")
        self.control("unpause", "2")
        self.assertEqual(self.finish(again).json()["counts"]["TERMINATED"], 5)

    def test_a_paused_experiment_stays_paused_over_kill_9(self):
        ini = self.stepping(samples=2, slots=1)
        child = self.begin(ini, running=1)
        self.control("pause")
        child.kill()
        child.wait()

        again = self.begin(ini, "--resume")

        self.assertTrue(self.status()["head"]["paused"])
        self.let_all()
        self.control("unpause")
        self.assertEqual(self.finish(again).json()["counts"]["TERMINATED"], 2)

    def test_a_second_head_is_refused(self):
        ini = self.stepping(samples=1)
        child = self.begin(ini, running=1)

        for words in (["run", ini, "--resume"], ["resume", self.where]):
            ran = self.run_node(*words, code=8)
            self.assertIn("works on it", ran.err)

        self.assertEqual(self.status()["head"]["pid"], child.pid)
        self.let_all()
        self.finish(child)


if __name__ == "__main__":
    main()

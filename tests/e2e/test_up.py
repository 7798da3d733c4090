# SPDX-License-Identifier: BSD-3-Clause
"""`tune-node up`: one command in all processes of a launch, here those of a loop and of environments
such as Slurm and Open MPI make them."""
import os
import signal
import socket
import stat
import time
from pathlib import Path

from e2e import Case, clean_environment, main
from gated_trial import GATED

LOOP = """[experiment]
metric = loss
mode = min
num_samples = %d
[trainable]
command = ./trial.sh {x}
%s
[space]
x = uniform(0, 1)
[cluster]
lost_after = 2s
%s"""


class Launch(Case):
    def setUp(self):
        super().setUp()
        self.gate = self.directory / "gate"
        (self.directory / "trial.sh").write_text("#!/bin/sh\necho loss=$1\n")
        (self.directory / "trial.sh").chmod(0o755)

    def spec(self, samples=6, trainable="metric.loss = loss={number}", more=""):
        return self.ini(LOOP % (samples, trainable, more))

    def gated(self, samples=3):
        (self.directory / "trial.sh").write_text(GATED)
        return self.spec(samples, "env.GATE = %s" % self.gate)

    def rank(self, number, ini, *words, size=3, env=None):
        where = [] if env is not None else ["--rank", number, "-n", size]
        whole = clean_environment(**(env or {}))
        out = open(self.directory / ("rank-%d.log" % number), "w", encoding="utf-8")
        self.addCleanup(out.close)
        return self.start("up", ini, *where, "--cpus", 1, "--work",
                          self.directory / ("work-%d" % number), *words, stderr=out, env=whole)

    def launch(self, ini, *words, size=3, envs=None):
        return [self.rank(i, ini, *words, size=size, env=envs[i] if envs else None)
                for i in range(size)]

    def said(self, number):
        return (self.directory / ("rank-%d.log" % number)).read_text()

    def codes(self, ranks):
        result = []
        self.outs = []
        for child in ranks:
            self.outs.append(child.communicate(timeout=120)[0])
            result.append(child.returncode)
        return result

    def nodes(self):
        rows = self.rows_if_any("SELECT DISTINCT node FROM attempts")
        return {row["node"] for row in rows}

    def wait_for_nodes(self, count, head):
        query = "SELECT DISTINCT node FROM attempts WHERE attempt IN (SELECT attempt FROM results)"
        self.wait_until(lambda: len(self.rows_if_any(query)) >= count, head,
                        "%d nodes with trials that report" % count)

    def leftovers(self):
        return sorted(x.name for x in (self.directory / "results").iterdir() if x.name != "x")


class ByHand(Launch):
    def test_all_ranks_work_and_end_with_the_experiment(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])
        place = self.directory / "results" / ".up-x"
        self.assertEqual(stat.S_IMODE(place.stat().st_mode), 0o700)
        self.assertEqual([str(x) for x in place.rglob("ca.key")], [])
        self.gate.touch()

        self.assertEqual(self.codes(ranks), [0, 0, 0])
        self.assertEqual(len(self.nodes()), 3)
        self.assertEqual(self.leftovers(), [])
        self.assert_no_trial_processes()
        self.assertIn("3 trials: 3 terminated", self.outs[0])
        # Nothing that is gone is named for a next time.
        self.assertNotIn(".up-", self.outs[0] + self.said(0))
        self.assertEqual(self.outs[1:], ["", ""])

    def test_the_exit_code_is_that_of_the_experiment_at_all_ranks(self):
        (self.directory / "trial.sh").write_text("#!/bin/sh\nexit 3\n")
        ini = self.spec(3, more="[failure]\nmax_failures = 0\n")

        self.assertEqual(self.codes(self.launch(ini)), [5, 5, 5])

    def test_an_experiment_that_is_over_ends_all_ranks_at_once(self):
        ini = self.spec(2)
        self.assertEqual(self.codes(self.launch(ini, size=2)), [0, 0])

        again = self.launch(ini, size=2)

        self.assertEqual(self.codes(again), [0, 0])
        self.assertIn("nothing", self.said(0))
        self.assertEqual(self.leftovers(), [])

    def test_alone_it_runs_and_resumes(self):
        ini = self.spec(2)

        self.run_node("up", ini)
        self.run_node("up", ini, "--experiment.num_samples", 4)

        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)
        self.assertEqual(self.leftovers(), [])

    def test_notice_leaves_all_off_and_the_next_launch_goes_on(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])

        # A batch system sends it to all processes, trials included.
        for child in ranks:
            child.send_signal(signal.SIGUSR1)
        for pid in self.trial_processes():
            os.kill(pid, signal.SIGUSR1)
        self.assertEqual(self.codes(ranks), [75, 75, 75])
        self.assertEqual(self.leftovers(), [])
        self.assert_no_trial_processes()
        before = {row["trial"]: row["i"] for row in self.rows(
            "SELECT trial, max(training_iteration) AS i FROM results GROUP BY trial")}
        self.gate.touch()

        self.assertEqual(self.codes(self.launch(ini)), [0, 0, 0])
        ends = self.rows("SELECT end_class FROM attempts")
        self.assertNotIn("user_error", {row["end_class"] for row in ends})
        after = {row["trial"]: row["i"] for row in self.rows(
            "SELECT trial, max(training_iteration) AS i FROM results GROUP BY trial")}
        for trial, iteration in before.items():
            self.assertGreater(after[trial], iteration)
        self.assertEqual({row["failures"] for row in self.rows("SELECT failures FROM trials")}, {0})

    def trial_processes(self):
        result = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"./trial.sh" in words and (entry / "cwd").resolve().is_relative_to(self.directory):
                result.append(int(entry.name))
        return result

    def test_a_rank_that_is_told_to_go_leaves_the_others_alone(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])

        ranks[2].send_signal(signal.SIGTERM)
        self.assertEqual(self.codes(ranks[2:]), [143])
        self.gate.touch()

        self.assertEqual(self.codes(ranks[:2]), [0, 0])
        self.assertEqual(self.leftovers(), [])

    def test_a_rank_that_was_suspended_for_long_joins_anew(self):
        ini = self.gated(samples=2)
        ranks = self.launch(ini, size=2)
        self.wait_for_nodes(2, ranks[0])

        ranks[1].send_signal(signal.SIGSTOP)
        # Twice `lost_after`, after which nothing is kept for it, and half of that more.
        until = time.monotonic() + 6
        self.wait_until(lambda: "is lost" in self.said(0) and time.monotonic() > until, ranks[0],
                        "the loss of a rank")
        ranks[1].send_signal(signal.SIGCONT)
        self.wait_until(lambda: self.said(1).count("joined as node") == 2, ranks[1],
                        "a rank that joins anew")
        self.gate.touch()

        self.assertEqual(self.codes(ranks), [0, 0])
        self.assertEqual(self.leftovers(), [])
        self.assert_no_trial_processes()

    def test_where_rank_0_is_killed_the_others_end_and_a_new_launch_goes_on(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])

        ranks[0].kill()
        self.assertEqual(self.codes(ranks), [-9, 6, 6])
        self.assertIn("rank 0 ended without notice", self.said(1))
        self.assert_no_trial_processes()
        self.gate.touch()

        self.assertEqual(self.codes(self.launch(ini)), [0, 0, 0])
        self.assertEqual(self.leftovers(), [])

    def test_ranks_that_come_before_rank_0_wait_and_take_no_stale_place_for_it(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])
        for child in ranks:
            child.kill()
        self.codes(ranks)
        self.gate.touch()

        # What the killed launch left says where nobody listens any more.
        late = [self.rank(i, ini) for i in (1, 2)]
        self.wait_until(lambda: "trying again" in self.said(1), late[0], "a search in vain")
        first = self.rank(0, ini)

        self.assertEqual(self.codes([first, *late]), [0, 0, 0])

    def test_a_rank_that_comes_as_all_ends_ends_with_the_others(self):
        ini = self.gated()
        ranks = self.launch(ini, size=3)
        ranks[2].send_signal(signal.SIGSTOP)
        self.wait_for_nodes(2, ranks[0])
        self.gate.touch()
        end = self.directory / "results" / ".up-x" / "end.json"
        self.wait_until(end.exists, ranks[0], "the end at rank 0")

        ranks[2].send_signal(signal.SIGCONT)

        self.assertEqual(self.codes(ranks), [0, 0, 0])
        self.assertIn("rank 0 had ended, with exit code 0, before rank 2 joined: it did nothing",
                      self.said(2))
        self.assertEqual(self.leftovers(), [])

    def test_without_rank_0_others_give_up(self):
        ini = self.spec()

        lone = self.rank(1, ini, "--join-timeout", "1s")

        self.assertEqual(self.codes([lone]), [6])
        self.assertIn("rank 0 did not come to", self.said(1))

    def test_a_signal_ends_a_rank_that_waits(self):
        lone = self.rank(1, self.spec())
        self.wait_until(lambda: lone.poll() is None, lone)

        lone.send_signal(signal.SIGTERM)

        self.assertIn(self.codes([lone])[0], (143, -15))

    def test_a_second_rank_0_is_refused_and_changes_nothing(self):
        ini = self.gated()
        ranks = self.launch(ini)
        self.wait_for_nodes(3, ranks[0])

        second = self.run_node("up", ini, "--rank", 0, "-n", 3, code=8)
        self.assertIn("another process with rank 0", second.err)
        self.gate.touch()

        self.assertEqual(self.codes(ranks), [0, 0, 0])

    def test_they_meet_at_an_address_by_certificates_that_are_there(self):
        certs = self.directory / "certs"
        self.run_node("certs", "init", "--certs", certs)
        ini = self.gated(2)
        meet = "127.0.0.1:%d" % self.free_port()

        ranks = self.launch(ini, "--rendezvous", meet, "--certs", certs, size=2)
        self.wait_for_nodes(2, ranks[0])
        self.gate.touch()

        self.assertEqual(self.codes(ranks), [0, 0])
        self.assertEqual(self.leftovers(), [])

    def free_port(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]


class Refused(Launch):
    def test_places_that_make_no_sense(self):
        ini = self.spec()
        for words, text in (
                (["--rank", 1], "--rank needs -n"), (["--rank", 3, "-n", 3], "ranks are 0 to 2"),
                (["-n", 2], "--rank"), (["--rank", "x", "-n", 2], "--rank is a whole number"),
                (["--notice", "KILL"], "USR1"), (["--rendezvous", ""], "--rendezvous"),
                (["--certs", "c"], "--rendezvous HOST:PORT")):
            self.assertIn(text, self.run_node("up", ini, *words, code=2).err)

    def test_a_directory_that_others_may_enter(self):
        ini = self.spec()
        (self.directory / "open").mkdir()
        (self.directory / "open").chmod(0o755)
        for rank in (0, 1):
            told = self.run_node("up", ini, "--rank", rank, "-n", 2, "--rendezvous",
                                 self.directory / "open", code=8)
            self.assertIn("chmod 700", told.err)
        self.assertEqual(list((self.directory / "open").iterdir()), [])
        self.assertFalse((self.directory / "results").exists())

    def test_a_file_with_faults_ends_all_ranks_alike(self):
        ini = self.ini("[experiment]\nmetric = \n")

        self.assertEqual(self.codes(self.launch(ini, size=2)), [3, 3])


class Launchers(Launch):
    def test_slurm_and_mpi_tell_ranks(self):
        for name, envs in (
                ("slurm", [{"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": str(i),
                            "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0",
                            "SLURMD_NODENAME": "n%d" % i} for i in range(2)]),
                ("mpi", [{"OMPI_COMM_WORLD_RANK": str(i), "OMPI_COMM_WORLD_SIZE": "2",
                          "OMPI_COMM_WORLD_LOCAL_RANK": str(i)} for i in range(2)])):
            with self.subTest(name):
                ranks = self.launch(self.spec(4), "--experiment.name", name, size=2, envs=envs)
                self.assertEqual(self.codes(ranks), [0, 0])
                self.assertFalse(list((self.directory / "results").glob(".up*")))

    def test_a_batch_script_without_srun_is_told(self):
        alone = clean_environment(SLURM_JOB_ID="7", SLURM_PROCID="0", SLURM_NTASKS="3")

        told = self.run_node("up", self.spec(2), env=alone)

        self.assertIn("srun", told.err)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""The job scripts of examples/batch under a real Slurm of three nodes on this machine."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e import ROOT, TUNE_NODE, Case, clean_environment, main
from gated_trial import GATED


class Slurm(Case):
    """One Slurm for all tests, since it takes seconds to come up."""

    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="tune-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        # munge has a user of its own.
        cls.root.chmod(0o755)
        script = ROOT / "scripts" / "local_slurm.sh"
        subprocess.run([script, "start", cls.root / "slurm"], check=True, timeout=120,
                       stdout=subprocess.DEVNULL)
        cls.addClassCleanup(subprocess.run, [script, "stop", cls.root / "slurm"], timeout=60)

    def setUp(self):
        super().setUp()
        self.directory.chmod(0o755)
        self.gate = self.directory / "gate"
        (self.directory / "trial.sh").write_text(GATED)
        (self.directory / "trial.sh").chmod(0o755)
        self.addCleanup(self.slurm, "scancel", "--full", "--state=RUNNING")
        self.addCleanup(self.slurm, "scancel", "--full", "--state=PENDING")

    def slurm(self, *words):
        env = clean_environment(SLURM_CONF=str(self.root / "slurm" / "etc" / "slurm.conf"),
                                PROGRAM=str(TUNE_NODE))
        return subprocess.run([str(x) for x in words], cwd=self.directory, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def submit(self, script, *words, before=()):
        sent = self.slurm("sbatch", "--parsable", "-o", self.directory / "out.log", *before,
                          ROOT / "examples" / "batch" / script, *words)
        self.assertEqual(sent.returncode, 0, sent.stdout)
        return sent.stdout.strip()

    def gated(self, samples=3):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./trial.sh {x}\nenv.GATE = %s\n[space]\nx = uniform(0, 1)\n"
            "[cluster]\nlost_after = 2s\n" % (samples, self.gate))

    def job(self, number):
        """The job's fields, as `scontrol show job` has them."""
        told = self.slurm("scontrol", "--oneliner", "show", "job", number).stdout
        return dict(x.split("=", 1) for x in told.split() if "=" in x)

    def log(self):
        path = self.directory / "out.log"
        return path.read_text() if path.exists() else ""

    def wait_for_state(self, number, *states):
        try:
            self.wait_until(lambda: self.job(number).get("JobState") in states, None, str(states))
        except AssertionError:
            self.fail("%s\n%s" % (self.job(number), self.log()))

    def wait_for_nodes(self, count):
        query = ("SELECT DISTINCT node FROM attempts WHERE ended IS NULL AND attempt IN "
                 "(SELECT attempt FROM results)")
        self.wait_until(lambda: len(self.rows_if_any(query)) >= count, None,
                        "%d nodes with trials: %s" % (count, self.log()))

    def iterations(self):
        return {row["trial"]: row["i"] for row in self.rows(
            "SELECT trial, max(training_iteration) AS i FROM results GROUP BY trial")}

    def leftovers(self):
        return [x.name for x in (self.directory / "results").glob(".up*")]


class Jobs(Slurm):
    def test_svm_digits_is_tuned_on_three_nodes(self):
        shutil.copytree(ROOT / "config", self.directory / "config")
        shutil.copytree(ROOT / "data" / "digits", self.directory / "data" / "digits")

        number = self.submit("slurm.sbatch", "config/svm-digits.ini", "--cpus", 1,
                             "--experiment.num_samples", 9)

        self.wait_for_state(number, "COMPLETED")
        nodes = self.rows("SELECT DISTINCT node FROM attempts", "svm-digits")
        self.assertEqual(len(nodes), 3, self.log())
        self.assertIn("accuracy", self.log())
        self.assertEqual(self.leftovers(), [])

    def test_notice_before_the_end_of_its_time_saves_and_the_job_goes_on_by_itself(self):
        number = self.submit("slurm.sbatch", self.gated(), "--cpus", 1,
                             before=["--time=1", "--signal=USR1@50"])
        self.wait_for_nodes(3)
        self.wait_until(lambda: self.job(number).get("Restarts") == "1", None, "a requeue")
        before = self.iterations()
        self.gate.touch()
        self.wait_for_state(number, "PENDING")
        self.wait_until(lambda: self.slurm("sinfo", "-h", "-t", "idle", "-o", "%D").stdout == "3\n",
                        None, "nodes that have cleaned up")
        self.wait_until(lambda: not self.step_daemons(number), None, "the end of its old steps")
        # A requeued job has to wait for two minutes, unless it is released.
        said = self.log()
        self.slurm("scontrol", "update", "JobId=" + number, "StartTime=now")
        self.wait_for_state(number, "COMPLETED", "FAILED")
        if self.job(number)["JobState"] == "FAILED" and self.log() == said:
            # Now and then Slurm cannot begin a job on the node that it has only just left, and its
            # script never ran. Sent again, it goes on as well.
            number = self.submit("slurm.sbatch", self.directory / "x.ini", "--cpus", 1)

        self.wait_for_state(number, "COMPLETED")

        after = self.iterations()
        for trial, iteration in before.items():
            self.assertGreater(after[trial], iteration)
        ends = {row["end_class"] for row in self.rows("SELECT end_class FROM attempts")}
        self.assertEqual(ends, {"interrupted", "finished"}, self.log())
        self.assertEqual({row["failures"] for row in self.rows("SELECT failures FROM trials")}, {0})
        self.assertEqual(self.leftovers(), [])
        self.assert_no_trial_processes()

    def test_scancel_leaves_nothing_that_runs(self):
        number = self.submit("slurm.sbatch", self.gated(), "--cpus", 1)
        self.wait_for_nodes(3)

        self.slurm("scancel", number)

        self.wait_for_state(number, "CANCELLED")
        self.wait_until(lambda: not self.processes(), None, "the end of all processes")
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "interrupted")

    def test_a_node_that_is_lost_costs_its_trials_an_attempt(self):
        number = self.submit("slurm.sbatch", self.gated(), "--cpus", 1)
        self.wait_for_nodes(3)
        lost = self.rows("SELECT DISTINCT node FROM attempts WHERE node != 'local'")[0]["node"]

        self.lose(lost)
        self.wait_until(lambda: self.rows_if_any(
            "SELECT * FROM attempts WHERE end_class = 'node_lost'"), None, "the loss")
        self.gate.touch()

        self.wait_for_state(number, "COMPLETED", "FAILED", "NODE_FAIL")
        self.assertEqual({row["status"] for row in self.rows("SELECT status FROM trials")},
                         {"TERMINATED"}, self.log())
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "done")
        self.wait_until(lambda: not self.processes(), None, "the end of all processes")

    def test_a_daemon_of_slurm_that_dies_costs_nothing(self):
        number = self.submit("slurm.sbatch", self.gated(), "--cpus", 1)
        self.wait_for_nodes(3)

        os.kill(self.daemon("n3"), signal.SIGKILL)
        self.addCleanup(self.begin_daemon, "n3")
        self.gate.touch()

        self.wait_until(lambda: self.rows("SELECT status FROM experiment")[0]["status"] == "done",
                        None, "the end of the experiment")
        self.assertEqual({row["end_class"] for row in self.rows("SELECT end_class FROM attempts")},
                         {"finished"})
        self.wait_until(lambda: not self.leftovers(), None, "a rendezvous that is removed")
        self.slurm("scancel", number)

    def test_workers_of_an_array_leave_when_idle(self):
        certs = self.directory / "certs"
        self.run_node("certs", "init", "--certs", certs)
        with open(self.directory / "head.log", "w", encoding="utf-8") as log:
            head = self.start("head", "--listen", "127.0.0.1:0", "--certs", certs, "--no-local",
                              "--storage", self.directory / "results", stderr=log)
        self.wait_until(lambda: "worker --join" in (self.directory / "head.log").read_text(), head)
        said = (self.directory / "head.log").read_text()
        where = said.split("worker --join ")[1].split()[0]

        number = self.submit("slurm-array.sbatch", where, "--certs", certs, "--cpus", 1,
                             before=["--array=1-2", "--export=ALL,IDLE_EXIT=2s"])
        self.wait_until(lambda: self.job(number).get("JobState") in ("COMPLETED", "FAILED"), None,
                        "the end of the workers: " + self.log())

        self.assertEqual(self.job(number)["JobState"], "COMPLETED", self.log())
        self.assertIn("idle", self.log())

    def test_a_head_gets_and_gives_back_workers(self):
        certs = self.directory / "certs"
        self.run_node("certs", "init", "--certs", certs)
        command = "SLURM_CONF=%s PROGRAM=%s SBATCH_OPTIONS='-o %s' %s --certs %s --cpus 1" % (
            self.root / "slurm" / "etc" / "slurm.conf", TUNE_NODE, self.directory / "out.log",
            ROOT / "examples" / "scaling" / "slurm.sh", certs)
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                "head", "--listen", "127.0.0.1:0", "--certs", certs, "--no-local",
                "--storage", self.directory / "results", "--scale-command", command,
                "--scale-max", 2, "--scale-cooldown", "1s", "--scale-down-cooldown", "1s",
                "--scale-idle", "2s", stderr=err)
        self.wait_until(lambda: "run FILE --head" in log.read_text(), head)
        where = log.read_text().split("run FILE --head ")[1].split()[0]
        run = self.start("run", self.gated(4), "--head", where, "--certs", certs,
                         "--cluster.local", "false")
        self.wait_for_nodes(2)

        self.gate.touch()
        self.finish(run)
        self.wait_until(lambda: self.slurm("squeue", "-h").stdout == "", head,
                        "the end of all tasks")

        ends = self.rows("SELECT DISTINCT node, end_class FROM attempts")
        self.assertEqual([x["end_class"] for x in ends], ["finished"] * 2, log.read_text())
        self.assertRegex(log.read_text(), r"scale_command: job \d+: 1 tasks")
        self.assertRegex(log.read_text(), r"gives back n\d-\d+_1")
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    # -- Slurm's daemons, and what it started.

    def daemon(self, node):
        return int((self.root / "slurm" / "run" / ("slurmd.%s.pid" % node)).read_text())

    def begin_daemon(self, node):
        conf = self.root / "slurm" / "etc" / "slurm.conf"
        subprocess.run(["slurmd", "-N", node, "-f", conf], timeout=30, check=False)
        self.slurm("scontrol", "update", "NodeName=" + node, "State=RESUME")

    def processes(self):
        """Processes of tune-node and trials that belong to this test."""
        result = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                here = os.readlink(entry / "cwd")
                name = (entry / "comm").read_text()
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            is_ours = here.startswith(str(self.directory)) or str(self.directory).encode() in words
            if is_ours and "python" not in name and int(entry.name) != os.getpid():
                result.append((int(entry.name), words))
        return result

    def step_daemons(self, number):
        """Whether Slurm still cleans up after the job: it may not begin anew on these nodes yet."""
        result = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if words.startswith(b"slurmstepd: [%s." % number.encode()):
                result.append(words)
        return result

    def lose(self, node):
        """All of a node dies at once, as at a loss of power."""
        os.kill(self.daemon(node), signal.SIGKILL)
        self.addCleanup(self.begin_daemon, node)
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if b"SLURMD_NODENAME=%s\0" % node.encode() in environment:
                try:
                    os.kill(int(entry.name), signal.SIGKILL)
                except ProcessLookupError:
                    pass


if __name__ == "__main__":
    missing = [x for x in ("slurmctld", "slurmd", "munged", "srun") if not shutil.which(x)]
    if missing or os.geteuid() != 0:
        print("skipped: needs root, and Slurm (apt-get install slurm-wlm munge); missing: "
              + (", ".join(missing) or "root"))
        sys.exit(77)
    main()

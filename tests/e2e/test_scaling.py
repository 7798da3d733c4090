# SPDX-License-Identifier: BSD-3-Clause
"""A command gets and gives back workers of a head: `scale_command`."""
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from cluster import most_at_once
from e2e import ROOT, TUNE_NODE, clean_environment, main
from gated_trial import GATED
from standing import StandingCase

# Begins and ends workers on this machine. Each call leaves a line.
HERE = """import json, os, subprocess, sys
call = json.loads(sys.stdin.readline())
directory, program, certs, *more = sys.argv[1:]
with open(os.path.join(directory, "calls"), "a") as log:
    log.write(json.dumps(dict(call, head=os.environ["TUNE_HEAD"])) + "\\n")
for name in call["idle"]:
    os.kill(int(open(os.path.join(directory, name + ".pid")).read()), 15)
taken = len([x for x in os.listdir(directory) if x.endswith(".pid")])
kinds = [x.get("require", "") for x in call["kinds"] for _ in range(x["more"])]
for i, require in enumerate(kinds, taken):
    name = "w%d" % i
    labels = ["--label", "gpu_model=A100"] if "A100" in require else []
    with open(os.path.join(directory, name + ".log"), "w") as log:
        child = subprocess.Popen(
            [program, "worker", "--join", os.environ["TUNE_HEAD"], "--name", name, "--cpus", "1",
             "--certs", certs, "--work", os.path.join(directory, "work-" + name), *labels, *more],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    with open(os.path.join(directory, name + ".pid"), "w") as file:
        file.write(str(child.pid))
print("begun", call["more"])
"""

QUICK = ("--scale-cooldown", "1s", "--scale-down-cooldown", "1s", "--scale-patience", "60s")


class Scaling(StandingCase):
    def setUp(self):
        super().setUp()
        self.gate = self.directory / "gate"
        (self.directory / "trial.sh").write_text(GATED)
        (self.directory / "trial.sh").chmod(0o755)
        (self.directory / "here.py").write_text(HERE)
        self.addCleanup(self.end_workers)

    def end_workers(self):
        for file in self.directory.glob("*.pid"):
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def command(self, *more):
        return " ".join(str(x) for x in (sys.executable, self.directory / "here.py",
                                         self.directory, TUNE_NODE, self.certs, *more))

    def spec(self, samples=6, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./trial.sh {x}\nenv.GATE = %s\n[space]\nx = uniform(0, 1)\n"
            "[cluster]\nlocal = false\n%s" % (samples, self.gate, more))

    def calls(self):
        file = self.directory / "calls"
        return [json.loads(x) for x in file.read_text().splitlines()] if file.exists() else []

    def workers(self):
        """Those whose process is there."""
        result = []
        for file in self.directory.glob("w*.pid"):
            try:
                with open("/proc/%s/stat" % file.read_text()) as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] != "Z":
                        result.append(file.stem)
            except OSError:
                pass
        return sorted(result)

    def busy_nodes(self):
        return {x["node"] for x in self.rows_if_any(
            "SELECT DISTINCT node FROM attempts WHERE ended IS NULL"
            " AND attempt IN (SELECT attempt FROM results)")}

    def submit(self, where, *words, samples=6):
        return self.start("run", self.spec(samples), "--head", where, "--certs", self.certs, *words)

    def check_whole(self, most):
        rows = self.rows("SELECT * FROM attempts ORDER BY started")
        self.assertEqual({x["end_class"] for x in rows}, {"finished"})
        self.assertLessEqual(most_at_once(rows), most)
        self.assertEqual({x["status"] for x in self.rows("SELECT status FROM trials")},
                         {"TERMINATED"})


class Growing(Scaling):
    def test_workers_come_for_what_waits_and_go_when_idle(self):
        head, where = self.head(
            "--no-local", "--scale-command", self.command(), "--scale-max", 3,
            "--scale-idle", "2s", *QUICK)
        run = self.submit(where)
        self.wait_until(lambda: len(self.busy_nodes()) == 3, run, "three nodes with trials")
        self.assertEqual(self.calls()[0]["wanted"], 1, "one tells what they offer")
        self.assertTrue(all(x["wanted"] <= 3 for x in self.calls()))
        self.assertEqual({x["head"] for x in self.calls()}, {where})
        self.assertEqual(self.calls()[0]["bounds"], [0, 3])
        self.assertEqual(self.calls()[0]["pending"][0]["cpu"], 1)
        told = r"workers: 3 wanted, 3 there, 0 asked for; scale_command was called \d+ s ago"
        self.wait_until(lambda: re.search(told, self.run_node(
            "status", "x", "--head", where, "--certs", self.certs).out), run, "a status with them")
        shown = self.run_node("status", "x", "--head", where, "--certs", self.certs, "-o", "json")
        self.assertEqual(shown.json()["head"]["scaling"]["now"], 3)
        self.gate.touch()
        self.finish(run)
        self.wait_until(lambda: not self.workers(), head, "the end of idle workers")

        self.check_whole(3)
        self.assertEqual(sorted(x for call in self.calls() for x in call["idle"]),
                         ["w0", "w1", "w2"])
        said = self.said()
        self.assertIn("asks for 1 worker: 1 wanted, 0 there", said)
        self.assertIn("scale_command: begun 1", said)
        self.assertRegex(said, "gives back w0")
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_trials_that_require_a_label_get_a_worker_that_bears_it(self):
        head, where = self.head(
            "--no-local", "--scale-command", self.command(), "--scale-max", 4,
            "--scale-idle", "0", *QUICK)
        plain = self.worker(where, "plain")
        self.wait_until(lambda: "plain joined" in self.said(), head, "a worker that is idle")
        self.gate.touch()
        ini = self.ini(self.spec(2).read_text() + "[resources]\nrequire = gpu_model == A100\n")
        run = self.start("run", ini, "--head", where, "--certs", self.certs)
        self.finish(run)

        call = self.calls()[0]
        # The second trial may have been drawn after that.
        self.assertIn(call["pending"], [
            [{"cpu": 1, "gpu": 0, "memory": 0, "count": x, "require": "gpu_model == A100"}]
            for x in (1, 2)])
        self.assertEqual(call["kinds"], [
            {"more": call["more"], "asked": 0, "require": "gpu_model == A100"}])
        self.assertLessEqual({x["node"] for x in self.rows("SELECT node FROM attempts")},
                             {"w0", "w1"})
        self.assertIn("; %d with gpu_model == A100" % call["more"], self.said())
        for x in (plain, head):
            x.send_signal(signal.SIGTERM)
            self.finish(x)

    def test_its_numbers_are_there_for_prometheus(self):
        head, where = self.head(
            "--no-local", "--scale-command", self.command(), "--scale-max", 2, "--http",
            "127.0.0.1:0", *QUICK,
            env=clean_environment(XDG_STATE_HOME=str(self.directory / "state")))
        address, token = re.search(r"http://(\S+)/#token=(\w+)", self.said()).groups()

        def numbers():
            asked = urllib.request.Request("http://%s/metrics" % address,
                                           headers={"Authorization": "Bearer " + token})
            with urllib.request.urlopen(asked, timeout=60) as told:
                lines = told.read().decode().splitlines()
            return {x.rpartition(" ")[0]: float(x.rpartition(" ")[2]) for x in lines
                    if not x.startswith("#")}

        before = numbers()
        run = self.submit(where)
        self.wait_until(lambda: len(self.busy_nodes()) == 2, run, "two nodes with trials")
        self.wait_until(lambda: numbers()["tune_scaling_workers{state=\"asked\"}"] == 0, run)
        told = numbers()
        self.gate.touch()
        self.finish(run)
        self.wait_until(lambda: numbers()["tune_pending_bundles"] == 0, head)

        self.assertEqual(before["tune_workers{state=\"busy\"}"], 0)
        self.assertEqual(before["tune_pending_bundles"], 0)
        self.assertEqual(told["tune_workers{state=\"busy\"}"], 2)
        self.assertEqual(told["tune_workers{state=\"idle\"}"], 0)
        self.assertEqual(told["tune_scaling_workers{state=\"wanted\"}"], 2)
        self.assertGreater(told["tune_pending_bundles"], 0)
        self.assertGreaterEqual(told["tune_scaling_calls_total"], 1)
        self.assertEqual(told["tune_slots{experiment=\"x\",kind=\"cpu\",state=\"used\"}"], 2)
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_workers_that_leave_by_themselves_are_asked_for_again(self):
        head, where = self.head(
            "--no-local", "--scale-command", self.command("--idle-exit", "1s"), "--scale-idle", 0,
            "--scale-worker", '{"cpu": 1}', "--scale-max", 2, *QUICK)
        self.gate.touch()
        self.finish(self.submit(where, samples=2))
        self.wait_until(lambda: not self.workers(), head, "the end of idle workers")
        before = len(self.calls())
        ran = self.start("run", self.spec(samples=4), "--head", where, "--certs", self.certs,
                         "--resume")

        self.finish(ran)

        self.assertGreater(len(self.calls()), before)
        self.assertEqual({tuple(x["idle"]) for x in self.calls()}, {()})
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_a_run_that_listens_grows_as_well(self):
        ini = self.spec(4, "listen = 127.0.0.1:0\ncerts = %s\nscale_command = %s\nscale_max = 2\n"
                           "scale_cooldown = 1s\nscale_min = 1\n" % (self.certs, self.command()))
        run = self.start("run", ini)
        self.wait_until(lambda: len(self.busy_nodes()) == 2, run, "two nodes with trials")
        self.wait_until(lambda: "workers: 2 wanted, 2 there" in self.run_node(
            "status", self.directory / "results" / "x").out, run, "a status that tells of them")
        self.gate.touch()

        self.finish(run)

        self.check_whole(2)


class Failing(Scaling):
    def waiting(self, *words):
        """A head whose experiment waits for workers."""
        head, where = self.head("--no-local", *words, *QUICK)
        run = self.submit(where, "--detach")
        self.finish(run)
        return head, where

    def end(self, head):
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def sleepers(self):
        """What is left of commands that hang."""
        result = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd") == str(self.directory) \
                        and (entry / "comm").read_text().strip() in ("sleep", "sh"):
                    result.append(entry.name)
            except OSError:
                pass
        return result

    def status(self, where):
        return self.run_node("status", "x", "--head", where, "--certs", self.certs).out

    def test_a_command_that_fails_is_told_of(self):
        head, where = self.waiting("--scale-command", "echo no quota >&2; exit 3")
        self.wait_until(lambda: "scale_command failed" in self.said(), head)

        self.assertIn("scale_command failed: it exited with 3: no quota; tried again in 10 s",
                      self.said())
        self.assertIn("and failed: it exited with 3: no quota", self.status(where))
        self.end(head)

    def test_a_command_that_hangs_is_killed(self):
        head, where = self.waiting("--scale-command", "cd %s; sleep 1000" % self.directory,
                                   "--scale-timeout", "1s")
        self.wait_until(lambda: "did not end within 1 s" in self.said(), head)
        self.assertIn("and was killed", self.status(where))
        self.end(head)

        self.wait_until(lambda: not self.sleepers(), None, "the end of its processes")

    def test_a_command_under_way_is_killed_with_its_head(self):
        head, _ = self.waiting("--scale-command",
                               "cd %s; touch begun; sleep 1000" % self.directory)
        self.wait_until((self.directory / "begun").exists, head)
        self.end(head)

        self.wait_until(lambda: not self.sleepers(), None, "the end of its processes")

    def test_an_answer_that_is_no_json_is_told_of(self):
        head, _ = self.waiting("--scale-command", "echo '{asked: 1}'")
        self.wait_until(lambda: "its answer is no JSON object" in self.said(), head)
        self.end(head)

    def test_what_no_worker_could_hold_is_told_of(self):
        head, where = self.waiting("--scale-command", self.command(),
                                   "--scale-worker", '{"cpu": 0.5}')
        self.wait_until(lambda: "too large for the workers" in self.said(), head)
        self.assertIn("too large for the workers that come: ", self.status(where))
        self.assertEqual(self.calls(), [])
        self.end(head)

    def test_wrong_words_are_refused(self):
        for words, part in (
            (("--scale-max", 3), "--scale-max goes with --scale-command"),
            (("--scale-command", "true", "--scale-max", 0), "--scale-max: '0' is not within 1"),
            (("--scale-command", "true", "--scale-min", 11), "scale_min must be 0 to scale_max"),
            (("--scale-command", "true", "--scale-idle", "1ms"), "is not 0, or within 1s to 24h"),
            (("--scale-command", "true", "--scale-worker", "4"), "--scale-worker: "),
            (("--scale-command", ""), "--scale-command is empty"),
        ):
            told = self.run_node("head", "--listen", "127.0.0.1:0", *words, code=2)
            self.assertIn(part, told.err)
        told = self.run_node("run", self.spec(2, "scale_command = true\n"), code=3)
        self.assertIn("[cluster] scale_command: no worker could join", told.err)
        told = self.run_node("run", self.spec(2, "scale_command = true\nscale_min = 12\n"), code=3)
        self.assertIn("scale_min = 12: must be 0 to scale_max, which is 10", told.err)


class Kinds(Scaling):
    """The shipped scripts, with stand-ins for what they call: which kind of worker is got how."""

    def stub(self, name, body=""):
        file = self.directory / name
        file.write_text("#!/bin/sh\necho \"%s $*\" >>%s/words\n%s\n" % (name, self.directory, body))
        file.chmod(0o755)
        return file

    def call(self, script, *words, kinds, more, **variables):
        (self.directory / "kinds").write_text(kinds)
        env = clean_environment(
            PATH="%s:%s" % (self.directory, os.environ["PATH"]), TUNE_IDLE_WORKERS="",
            TUNE_HEAD="h:1", TUNE_MORE_WORKERS="6", TUNE_WANTED_WORKERS="6", TUNE_NOW_WORKERS="0",
            TUNE_KINDS=str(self.directory / "kinds"), TUNE_MORE_KINDS=more)
        env.update(variables)
        done = subprocess.run([ROOT / "examples" / "scaling" / script, *words], env=env, timeout=60,
                              input=b"{}\n", capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = self.directory / "words"
        return done.stdout.decode(), words.read_text().splitlines() if words.exists() else []

    def test_slurm_submits_an_array_for_each_kind(self):
        self.stub("sbatch", "echo 42")
        self.stub("squeue", "case $* in *A100*) echo 7_1 ;; esac")
        said, words = self.call(
            "slurm.sh", "--certs", "c",
            kinds="# WORD|sbatch|worker\nA100|--partition a100|--label gpu_model=A100\n",
            more="2|0||gpu_model == A100\n3|0||\n1|0|spot|gpu_model == H100")
        array = str(ROOT / "examples" / "scaling" / ".." / "batch" / "slurm-array.sbatch")
        self.assertEqual([x for x in words if x.startswith("sbatch")], [
            "sbatch --parsable --job-name tune-h-1-A100 --array 1-1 --partition a100 %s h:1"
            " --certs c --label gpu_model=A100" % array,
            "sbatch --parsable --job-name tune-h-1 --array 1-3 %s h:1 --certs c" % array])
        self.assertIn("no line of TUNE_KINDS is for: gpu_model == H100", said)
        self.assertEqual(json.loads(said.splitlines()[-1]), {"asked": 5})

    def test_ssh_begins_workers_on_machines_of_the_kind(self):
        ssh = self.stub("ssh")
        said, words = self.call(
            "ssh.sh", "a b", "--certs", "c", SSH=str(ssh),
            kinds="A100|x y|--label 'gpu_model=A100'\n".replace("'", ""),
            more="1|0||gpu_model == A100\n1|0||\n1|0||zone == q")
        begun = [x for x in words if "worker --join" in x and "setsid" in x]
        self.assertEqual(len(begun), 2, words)
        self.assertIn("--name x", begun[0])
        self.assertIn("'--certs' 'c' '--label' 'gpu_model=A100' </dev/null", begun[0])
        self.assertIn("--name a", begun[1])
        self.assertIn("'--certs' 'c' </dev/null", begun[1])
        self.assertEqual(json.loads(said.splitlines()[-1]), {"asked": 2})
        self.assertIn("no line of TUNE_KINDS is for: zone == q", said)


class Kubernetes(Scaling):
    def call(self, stub, **variables):
        """Calls the shipped script with a kubectl that notes its words."""
        kubectl = self.directory / "kubectl"
        kubectl.write_text("#!/bin/sh\necho \"$*\" >>%s/words\n%s\n" % (self.directory, stub))
        kubectl.chmod(0o755)
        env = clean_environment(KUBECTL=str(kubectl), TUNE_IDLE_WORKERS="", TUNE_HEAD="h:1")
        env.update(variables)
        script = ROOT / "examples" / "scaling" / "kubernetes.sh"
        return subprocess.run([script, "deployment/tune-node-worker", "--namespace", "tune"],
                              env=env, timeout=60, input=b"{}\n", capture_output=True)

    def words(self):
        return (self.directory / "words").read_text().splitlines()

    def test_more_is_a_number_of_replicas(self):
        self.assertEqual(self.call("", TUNE_WANTED_WORKERS="5").returncode, 0)
        self.assertEqual(self.words(), [
            "--namespace tune scale deployment/tune-node-worker --replicas=5"])

    def test_idle_pods_go_first(self):
        done = self.call("", TUNE_WANTED_WORKERS="1", TUNE_IDLE_WORKERS="worker-a worker-b")
        self.assertEqual(done.returncode, 0)
        cost = "controller.kubernetes.io/pod-deletion-cost=-1000"
        self.assertEqual(self.words(), [
            "--namespace tune annotate --overwrite pod/worker-a " + cost,
            "--namespace tune annotate --overwrite pod/worker-b " + cost,
            "--namespace tune scale deployment/tune-node-worker --replicas=1"])

    def test_workers_with_labels_are_those_of_another_deployment(self):
        kinds = self.directory / "kinds"
        kinds.write_text("# WORD|deployment\nA100|deployment/worker-a100\n")
        wanted = {"TUNE_KINDS": str(kinds), "TUNE_WANTED_WORKERS": "9", "TUNE_MORE_WORKERS": "6",
                  "TUNE_MORE_KINDS": "2|1||model == A100\n3|0||\n1|0|spot|model == H100"}
        stub = 'case $* in *spec.replicas*) echo 2 ;; *readyReplicas*) echo 1 ;; esac'
        done = self.call(stub, **wanted)
        self.assertEqual(done.returncode, 0, done.stderr)
        scaled = [x for x in self.words() if " scale " in x]
        self.assertEqual(scaled, [
            "--namespace tune scale deployment/worker-a100 --replicas=4",
            "--namespace tune scale deployment/tune-node-worker --replicas=4"])
        self.assertEqual(json.loads(done.stdout.splitlines()[-1]), {"asked": 5})

        (self.directory / "words").unlink()
        done = self.call(stub, TUNE_KINDS=str(kinds), TUNE_WANTED_WORKERS="3",
                         TUNE_IDLE_WORKERS="worker-a100-7f-x tune-node-worker-8c-y")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([x for x in self.words() if " scale " in x], [
            "--namespace tune scale deployment/worker-a100 --replicas=1",
            "--namespace tune scale deployment/tune-node-worker --replicas=2"])

    def test_a_failure_is_the_commands(self):
        done = self.call("echo forbidden >&2; exit 1", TUNE_WANTED_WORKERS="5")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"forbidden", done.stderr)


if __name__ == "__main__":
    main()

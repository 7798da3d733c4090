# SPDX-License-Identifier: BSD-3-Clause
"""/metrics of a running experiment, read by the parser of Prometheus's own client, which is brought
from PyPI. Skipped, with the reason, where it cannot be had."""
import json
import subprocess

from e2e import main
from http_client import Served
from sink_case import venv_with

# Reports again and again until a file is there; saves on request.
SAVING = """#!/bin/sh
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
while :; do
  echo '{"metrics":{"loss":1}}' >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in
    *'"dir"'*)
      to=$(echo "$answer" | sed 's/.*"dir":"\\([^"]*\\)".*/\\1/')
      echo 1 > "$to/model"
      echo "{\\"saved\\":\\"$to\\"}" >&"$TUNE_TRIAL_REPORT_FD" ;;
  esac
  case $answer in *'"pause"'* | *'"stop"'*) exit 0 ;; esac
  [ ! -e "%s" ] || exit 0
  sleep 0.05
done
"""


class Scraped(Served):
    """What Prometheus's own parser reads."""

    PARSER = """
import json, sys
from prometheus_client.parser import text_string_to_metric_families
result = []
for family in text_string_to_metric_families(sys.stdin.read()):
    for x in family.samples:
        result.append([family.name, family.type, x.name, x.labels, x.value])
print(json.dumps(result))
"""

    def scraped(self):
        """Name and labels of all samples, with their values."""
        python = venv_with("prometheus", "prometheus-client==0.22.1")
        read = subprocess.run([python, "-c", self.PARSER], input=self.get("/metrics").body.decode(),
                              capture_output=True, text=True, timeout=60, check=True)
        self.types = {}
        result = {}
        for family, kind, name, labels, value in json.loads(read.stdout):
            self.types[family] = kind
            key = (name, *(x for pair in sorted(labels.items()) for x in pair))
            self.assertNotIn(key, result)
            result[key] = value
        return result

    def test_changes_decisions_and_slots_of_a_run(self):
        gate = self.directory / "gate"
        ini = self.experiment("tune report 1 wait_for %s report 2" % gate, samples=3,
                              space="x = uniform(0, 1)",
                              more="cpus = 2\ncustom.licence = 4\n[resources]\n"
                              "custom.licence = 1\n[scheduler]\ntype = asha\nmax_t = 9")
        log = self.directory / "log"
        with open(log, "w", encoding="utf-8") as err:
            child = self.start("run", ini, "--http", "127.0.0.1:0", stderr=err,
                               env=self.served_environment())
        self.wait_until(lambda: "#token=" in log.read_text(), child, "a page")
        self.take_link(log.read_text())
        of = lambda name, *labels: (name, "experiment", "x", *labels)
        count = of("tune_scheduler_decision_seconds_count")
        self.wait_until(lambda: self.scraped().get(count) == 2, child, "two decisions")

        told = self.scraped()

        self.assertEqual(told[of("tune_trial_transitions_total", "from", "pending", "to",
                                 "running")], 2)
        for kind, free, used in (("cpu", 0, 2), ("custom.licence", 2, 2), ("gpu", 0, 0)):
            for state, number in (("free", free), ("used", used)):
                self.assertEqual(
                    told[of("tune_slots", "kind", kind, "state", state)], number, kind)
        buckets = [(float(x[-1]), n) for x, n in told.items()
                   if x[0] == "tune_scheduler_decision_seconds_bucket"]
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual([n for _, n in buckets], sorted(n for _, n in buckets))
        self.assertEqual(buckets[-1], (float("inf"), 2))
        self.assertEqual(self.types["tune_scheduler_decision_seconds"], "histogram")
        self.assertEqual(self.types["tune_trial_transitions"], "counter")
        gate.touch()
        self.finish(child)

    def test_failures_are_told_as_what_became_of_them(self):
        gate = self.directory / "gate"
        ini = self.experiment("wait_for %s tune report 1 exit 1" % gate, space="x = grid(1, 2)",
                              more="cpus = 1")
        self.start_serving()
        child = self.start("run", ini, "--quiet", "--failure.max_failures", "1")
        changes = lambda: {(x[4], x[6]): n for x, n in self.scraped().items()
                           if x[0] == "tune_trial_transitions_total"}
        self.wait_until(lambda: changes() == {("pending", "running"): 1}, child, "a trial")
        gate.touch()
        self.finish(child, None)

        self.assertEqual(changes(), {("pending", "running"): 4, ("running", "pending"): 2,
                                     ("running", "errored"): 2})

    def test_a_pause_is_told_as_one(self):
        gate = self.directory / "gate"
        trial = self.directory / "trial.sh"
        trial.write_text(SAVING % gate)
        trial.chmod(0o755)
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
                       "command = ./trial.sh\n[space]\nx = uniform(0, 1)\n")
        self.start_serving()
        child = self.start("run", ini, "--quiet")
        changes = lambda: {(x[4], x[6]): n for x, n in self.scraped().items()
                           if x[0] == "tune_trial_transitions_total"}
        self.wait_until(lambda: changes() == {("pending", "running"): 1}, child, "a trial")
        self.run_node("pause", "results/x", "0")
        self.wait_until(lambda: changes() == {("pending", "running"): 1, ("running", "paused"): 1},
                        child, "its pause")
        self.run_node("unpause", "results/x", "0")
        gate.touch()
        self.finish(child)

        seen = changes()
        self.assertEqual(seen[("running", "paused")], 1)
        self.assertEqual(seen[("running", "terminated")], 1)
        self.assertEqual({x for x in seen if "terminated" in x}, {("running", "terminated")})


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""What a machine says of its GPUs, by a library that stands in for the driver's."""
import json
import re
import sys
from pathlib import Path

from e2e import FAULTY_NODE, Case, clean_environment, main

FAKE = Path(FAULTY_NODE).parent / "libtune_fake_nvml.so"


class DriverCase(Case):
    def driver(self, how, **more):
        """The environment where the driver's library behaves as fake_nvml.cpp says."""
        where = self.directory / "lib"
        where.mkdir(exist_ok=True)
        if not (where / "libnvidia-ml.so.1").exists():
            (where / "libnvidia-ml.so.1").symlink_to(FAKE)
        return clean_environment(LD_LIBRARY_PATH=str(where), TUNE_FAKE_NVML=how, **more)


class Gpus(DriverCase):
    def test_a_driver_that_does_not_work_is_warned_of_and_named_in_a_refusal(self):
        ini = self.experiment("tune report 1")
        broken = self.driver("broken", CUDA_VISIBLE_DEVICES="0")

        ran = self.run_node("run", ini, env=broken)
        refused = self.run_node("run", ini, "--resources.gpu", "1", "--experiment.name", "y",
                                env=broken, code=3)
        quiet = self.run_node("run", ini, "-q", "--experiment.name", "z", env=broken)

        line = "warning: the GPU library failed: nvmlInit_v2 gave 9; no GPU will be used"
        self.assertEqual(ran.err.count(line), 1, ran)
        self.assertIn("gpu = 1: no node can hold 1 CPU, 1 GPU", refused.err)
        self.assertIn("the GPU library failed: nvmlInit_v2 gave 9", refused.err)
        self.assertNotIn("GPU", quiet.err)

    def test_a_refusal_names_the_variable_that_hides_gpus(self):
        ini = self.experiment("tune report 1")

        ran = self.run_node("run", ini, "--resources.gpu", "2", code=3,
                            env=self.driver("2", CUDA_VISIBLE_DEVICES="1"))

        self.assertIn('CUDA_VISIBLE_DEVICES = "1" leaves 1 of the 2 that the driver lists', ran.err)

    def test_no_more_gpus_are_offered_than_there_are(self):
        ini = self.experiment("tune report 1", more="gpus = 2")
        one = self.driver("2", CUDA_VISIBLE_DEVICES="1")

        ran = self.run_node("run", ini, env=one, code=3)
        worker = self.run_node("worker", "--join", "127.0.0.1:1", "--insecure-plaintext",
                               "--gpus", "2", "--work", "w", env=one, code=3)
        head = self.run_node("head", "--listen", "127.0.0.1:0", "--insecure-plaintext",
                             "--gpus", "2", "--storage", "s", "--work", "h", env=one, code=3)

        self.assertIn("[cluster] gpus = 2: this machine has 1 GPU", ran.err)
        for each in (worker, head):
            self.assertIn("--gpus: this machine has 1 GPU", each.err)
        self.run_node("run", ini, env=self.driver("2", CUDA_VISIBLE_DEVICES="0,1"))
        self.run_node("run", ini, "--experiment.name", "y", env=self.driver("broken"))

    def test_devices_are_numbered_as_the_driver_numbers_them(self):
        ini = self.experiment("tune report 1", more="gpus = 2\n[resources]\ngpu = 1")
        ini.write_text(ini.read_text().replace(
            "[space]", "metric.loss = loss=(\\S+)\nreport = line\n[space]"))
        order = "echo order=$CUDA_DEVICE_ORDER; echo loss=1"
        ini.write_text(re.sub("command = .*", "command = sh -c '%s'" % order, ini.read_text()))
        # CUDA's own order, the fastest first, would make other devices of the same numbers.
        env = self.driver("2", CUDA_DEVICE_ORDER="FASTEST_FIRST")
        said = lambda name: self.run_node("logs", "results/" + name, "0").out

        self.run_node("run", ini, env=env)
        self.run_node("run", ini, "--experiment.name", "y", "--resources.gpu", "0", env=env)
        ini.write_text(ini.read_text().replace(
            "[space]", "env.CUDA_DEVICE_ORDER = FASTEST_FIRST\n[space]"))
        self.run_node("run", ini, "--experiment.name", "z", env=self.driver("2"))

        self.assertIn("order=PCI_BUS_ID", said("x"))
        # It sees none, and whoever wrote it knows better.
        for name in ("y", "z"):
            self.assertIn("order=FASTEST_FIRST", said(name))

    def test_a_worker_warns_of_its_driver(self):
        ran = self.run_node("worker", "--join", "127.0.0.1:1", "--insecure-plaintext", "--work",
                            "w", "--join-timeout", "100ms", env=self.driver("broken"), code=None)

        self.assertIn("warning: the GPU library failed: nvmlInit_v2 gave 9", ran.err)


# Tells the driver's stand-in what its process has, and that GPUs draw more with each report.
TELLING = """
import json, os, sys
state = os.environ["TUNE_FAKE_NVML_STATE"]
out = os.fdopen(int(os.environ["TUNE_TRIAL_REPORT_FD"]), "w")
answers = os.fdopen(int(os.environ["TUNE_TRIAL_ANSWER_FD"]))
device = os.environ["CUDA_VISIBLE_DEVICES"]
with open(state, "a") as to:
    to.write("process %s %d %s\\n" % (device, os.getpid(), sys.argv[1]))
for step in range(100000):
    with open(state, "a") as to:
        to.write("energy %s %d\\n" % (device, step))
    out.write(json.dumps({"metrics": {"loss": 1 / (step + 1)}}) + "\\n")
    out.flush()
    if json.loads(answers.readline()).get("decision") == "stop":
        break
"""


class GpuCosts(DriverCase):
    """What trials cost on GPUs, by the same library."""

    def telling(self, gpu, stop, samples=1, tells="1048576", more=""):
        (self.directory / "telling.py").write_text(TELLING)
        self.state = self.directory / "state"
        return self.ini(
            "[experiment]\nmetric = loss:min\nnum_samples = %d\n[space]\nx = uniform(0, 1)\n"
            "[trainable]\ncommand = %s {ini_dir}/telling.py %s\n[resources]\ngpu = %s\n[stop]\n"
            "%s\n[cluster]\ncpus = 2\n%s\n" % (samples, sys.executable, tells, gpu, stop, more))

    def costs(self):
        return [json.loads(x["costs"]) for x in self.rows(
            "SELECT costs FROM attempts ORDER BY trial, attempt")]

    def test_memory_and_energy_are_measured_while_trials_run(self):
        ini = self.telling(1, "when = tune/peak_gpu_bytes >= 1048576 and tune/energy_j > 0",
                           samples=2)
        self.state.write_text("energy 0 0\nenergy 1 0\n")

        self.run_node("run", ini, env=self.driver("2", TUNE_FAKE_NVML_STATE=str(self.state)))

        for told in self.costs():
            self.assertEqual(told["peak_gpu_bytes"], 1048576)
            self.assertGreater(told["energy_j"], 0)
            self.assertGreater(told["gpu_s"], 0)
        told = self.run_node("trials", "results/x", "--why", "0").out
        self.assertRegex(told, r"costs: .* s GPU, 1.* GPU memory, .* J")

    def test_what_the_driver_does_not_tell_is_missing(self):
        # The list names no process of ours, and energy is not supported.
        ini = self.telling(0.5, "training_iteration = 300", tells="-1", more="[log]\ncosts = true")
        script = self.directory / "telling.py"
        script.write_text(script.read_text().replace('"energy %s', '"nothing %s'))

        ran = self.run_node("run", ini, env=self.driver("2", TUNE_FAKE_NVML_STATE=str(self.state)))

        (told,) = self.costs()
        self.assertNotIn("peak_gpu_bytes", told)
        self.assertNotIn("energy_j", told)
        self.assertGreater(told["gpu_s"], 0)
        self.assertNotIn("GPU library", ran.err)

    def test_an_objective_that_cannot_be_measured_is_told_of_as_such(self):
        ini = self.telling(1, "training_iteration = 3", tells="-1")
        ini.write_text(ini.read_text().replace("loss:min", "tune/peak_gpu_bytes:min"))
        script = self.directory / "telling.py"
        script.write_text(script.read_text().replace("range(100000)", "range(2)"))

        ran = self.run_node("run", ini, code=5,
                            env=self.driver("2", TUNE_FAKE_NVML_STATE=str(self.state)))

        self.assertIn("metric 'tune/peak_gpu_bytes' never appeared in its reports: this node could "
                      "not measure it", ran.err)

    def test_a_driver_that_fails_later_is_told_of_once_and_costs_no_trial(self):
        ini = self.telling(1, "training_iteration = 3000", samples=2, more="[log]\nfile = own.log")
        env = self.driver("2", TUNE_FAKE_NVML_STATE=str(self.state))
        self.state.write_text("fail nvmlDeviceGetTotalEnergyConsumption 15\n"
                              "fail nvmlDeviceGetComputeRunningProcesses_v3 999\n")

        ran = self.run_node("run", ini, env=env)

        self.assertEqual(len(self.costs()), 2)
        for told in self.costs():
            self.assertNotIn("peak_gpu_bytes", told)
        for function, code in (("nvmlDeviceGetTotalEnergyConsumption", 15),
                               ("nvmlDeviceGetComputeRunningProcesses_v3", 999)):
            told = re.findall("GPU (.+): the GPU library failed: %s gave %d" % (function, code),
                              ran.err)
            # At once or one after the other, and never again.
            self.assertIn(told, (["0, 1"], ["0", "1"], ["1", "0"]), ran)


if __name__ == "__main__":
    main()

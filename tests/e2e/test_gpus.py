# SPDX-License-Identifier: BSD-3-Clause
"""What a machine says of its GPUs, by a library that stands in for the driver's."""
from pathlib import Path

from e2e import FAULTY_NODE, Case, clean_environment, main

FAKE = Path(FAULTY_NODE).parent / "libtune_fake_nvml.so"


class Gpus(Case):
    def driver(self, how, **more):
        """The environment where the driver's library behaves as fake_nvml.cpp says."""
        where = self.directory / "lib"
        where.mkdir(exist_ok=True)
        if not (where / "libnvidia-ml.so.1").exists():
            (where / "libnvidia-ml.so.1").symlink_to(FAKE)
        return clean_environment(LD_LIBRARY_PATH=str(where), TUNE_FAKE_NVML=how, **more)

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

    def test_a_worker_warns_of_its_driver(self):
        ran = self.run_node("worker", "--join", "127.0.0.1:1", "--insecure-plaintext", "--work",
                            "w", "--join-timeout", "100ms", env=self.driver("broken"), code=None)

        self.assertIn("warning: the GPU library failed: nvmlInit_v2 gave 9", ran.err)


if __name__ == "__main__":
    main()

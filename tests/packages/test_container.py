# SPDX-License-Identifier: BSD-3-Clause
"""The image of the Debian package: built where no registry can be reached, run, and looked into."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TUNE_BUILD"])
IMAGE = "localhost/tune-node-test:1"
TOOLS = ("buildah", "mmdebstrap", "dpkg-deb")


def leave_out(why):
    print("left out: " + why)
    sys.exit(77)


def run(*command, **more):
    done = subprocess.run(
        [str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True, timeout=900, **more
    )
    if done.returncode != 0:
        raise AssertionError(
            "%s\n%s%s" % (" ".join(map(str, command)), done.stdout, done.stderr[-4000:]))
    return done.stdout


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.container = run("buildah", "from", "--pull-never", IMAGE).strip()
        cls.addClassCleanup(run, "buildah", "rm", cls.container)

    def inside(self, *words):
        return run("buildah", "run", "--isolation", "chroot", self.container, "--", *words)

    def test_runs_an_example(self):
        said = self.inside(
            "/usr/bin/tune-node", "run", "/usr/share/tune/config/quadratic.ini",
            "--experiment.storage", "/tmp/results", "-o", "json")
        self.assertEqual(json.loads(said)["counts"]["TERMINATED"], 60)

    def test_is_not_root_and_can_write_only_what_is_its_own(self):
        self.assertEqual(self.inside("id", "-u").strip(), "10001")
        self.inside("sh", "-c", "test -w /var/lib/tune-node && ! test -w /usr && ! test -w /etc")

    def test_makes_certificates_where_it_looks_for_them(self):
        self.inside("/usr/bin/tune-node", "certs", "init", "--cluster", "image")
        said = self.inside("/usr/bin/tune-node", "certs", "show", "-o", "json")
        self.assertTrue(all(x["file"].startswith("/var/lib/tune-node/certs/")
                            for x in json.loads(said)))

    def test_says_what_it_begins_and_how_it_is_told_to_stop(self):
        settings = json.loads(run("buildah", "inspect", "--type", "image", IMAGE))["OCIv1"]["config"]
        self.assertEqual(settings["Entrypoint"], ["/usr/bin/tune-node"])
        self.assertEqual(settings["StopSignal"], "SIGTERM")
        self.assertEqual(settings["User"], "10001:10001")


def main():
    lacking = [x for x in TOOLS if not shutil.which(x)]
    if lacking:
        leave_out("there is no " + ", ".join(lacking))
    if os.geteuid() != 0:
        leave_out("it is built as root")
    packages = sorted((BUILD / "packages").glob("tune-node_*.deb"))
    if not packages:
        run(ROOT / "scripts/package.sh", BUILD)
        packages = sorted((BUILD / "packages").glob("tune-node_*.deb"))
    try:
        run(ROOT / "packaging/container/build.sh", "--bootstrap", "--name", IMAGE, packages[-1])
    except AssertionError as why:
        # Without a network there is no base, which is no fault of the image.
        if "mmdebstrap" in str(why) and "apt-get update" in str(why):
            leave_out(str(why)[-500:])
        raise
    try:
        unittest.main(verbosity=2)
    finally:
        subprocess.run(["buildah", "rmi", IMAGE], stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    main()

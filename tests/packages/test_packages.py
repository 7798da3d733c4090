# SPDX-License-Identifier: BSD-3-Clause
"""The packages hold what they should, name what they need, and work in bare surroundings."""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TUNE_BUILD"])
SCRATCH = Path(os.environ["TUNE_SCRATCH"])
TOOLS = ("cpack", "dpkg-deb", "dpkg-shlibdeps", "patchelf")


def run(*command, **more):
    """Runs a command to its end and returns what it wrote; a failure shows all of it."""
    done = subprocess.run(
        [str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True, **more
    )
    if done.returncode != 0:
        raise AssertionError(
            "%s\n%s%s" % (" ".join(str(x) for x in command), done.stdout, done.stderr))
    return done.stdout


def setUpModule():
    lacking = [x for x in TOOLS if not shutil.which(x)]
    if lacking:
        raise unittest.SkipTest("there is no " + ", ".join(lacking))
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    run(ROOT / "scripts" / "package.sh", BUILD)


def package(pattern):
    found = list((BUILD / "packages").glob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


class Debian(unittest.TestCase):
    def fields(self, pattern):
        text = run("dpkg-deb", "--field", package(pattern))
        return dict(re.findall(r"^([\w-]+): (.*)$", text, flags=re.M))

    def files(self, pattern):
        listed = run("dpkg-deb", "--contents", package(pattern))
        return {x.split(None, 5)[5].lstrip(".") for x in listed.splitlines()}

    def test_the_program_names_the_libraries_that_it_needs(self):
        fields = self.fields("tune-node_*.deb")
        self.assertEqual(fields["Package"], "tune-node")
        for wanted in ("libc6", "libcaf-core", "libcaf-io", "libsqlite3-0", "libboost-program-options"):
            self.assertIn(wanted, fields["Depends"])
        self.assertNotIn("-dev", fields["Depends"])

    def test_the_program_brings_manual_completions_examples_and_documents(self):
        files = self.files("tune-node_*.deb")
        for wanted in (
            "/usr/bin/tune-node", "/usr/share/man/man1/tune-node.1.gz",
            "/usr/share/bash-completion/completions/tune-node",
            "/usr/share/tune/config/quadratic.ini", "/usr/share/tune/digits.csv",
            "/usr/share/doc/tune-node/copyright", "/usr/share/doc/tune-node/docs/ini.md",
            "/usr/lib/systemd/system/tune-node-head.service",
            "/usr/lib/systemd/system/tune-node-worker.service", "/usr/lib/sysusers.d/tune-node.conf",
            "/usr/share/tune/kubernetes/tune-node.yaml", "/usr/share/tune/kubernetes/chart/Chart.yaml",
        ):
            self.assertIn(wanted, files)
        self.assertFalse([x for x in files if x.endswith((".hpp", ".a", ".cmake"))])

    def test_installing_it_enables_no_service(self):
        place = SCRATCH / "control"
        shutil.rmtree(place, ignore_errors=True)
        run("dpkg-deb", "--control", package("tune-node_*.deb"), place)
        for name in ("postinst", "prerm", "postrm"):
            text = (place / name).read_text()
            self.assertNotRegex(text, r"(systemctl|deb-systemd-helper)\b.*\benable")
            self.assertEqual((place / name).stat().st_mode & 0o777, 0o755)
            run("sh", "-n", place / name)

    def test_headers_and_libraries_are_in_a_package_of_their_own(self):
        files = self.files("tune-node-dev_*.deb")
        self.assertIn("/usr/include/tune/tuner/tuner.hpp", files)
        self.assertTrue([x for x in files if x.endswith("/libtune_core.a")])
        self.assertFalse([x for x in files if x.startswith("/usr/bin/")])
        self.assertIn("libcaf-dev", self.fields("tune-node-dev_*.deb")["Depends"])

    @unittest.skipUnless(shutil.which("lintian"), "there is no lintian")
    def test_lintian_finds_no_error(self):
        said = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error", package("tune-node_*.deb"),
             package("tune-node-dev_*.deb")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_unpacked_anywhere_it_runs_its_examples(self):
        place = SCRATCH / "unpacked"
        run("dpkg-deb", "--extract", package("tune-node_*.deb"), place)
        said = run(
            place / "usr/bin/tune-node", "run", place / "usr/share/tune/config/quadratic.ini",
            "--experiment.storage", SCRATCH / "results", "--output", "json")
        self.assertEqual(json.loads(said)["counts"]["TERMINATED"], 60)


class Tar(unittest.TestCase):
    def setUp(self):
        self.place = SCRATCH / "bare"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        run("tar", "-C", self.place, "-xzf", package("tune-node-*.tar.gz"))
        (self.home,) = self.place.iterdir()

    def test_its_libraries_are_its_own(self):
        said = run("ldd", self.home / "bin" / "tune-node", env={})
        self.assertNotIn("not found", said)
        foreign = [x for x in re.findall(r"=> (\S+)", said) if not x.startswith(str(self.home))]
        for path in foreign:
            self.assertRegex(Path(path).name, r"^(libc|libm|libdl|librt|libpthread|libresolv)\.so")

    @unittest.skipUnless(os.geteuid() == 0, "only root can change its root directory")
    def test_it_needs_nothing_but_the_c_library(self):
        said = run("ldd", self.home / "bin" / "tune-node", env={})
        for path in re.findall(r"(/\S+) \(", said):
            if path.startswith(str(self.home)):
                continue
            there = self.place / path.lstrip("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(path), there)
        for name in ("tmp", "proc", "dev"):
            (self.place / name).mkdir(mode=0o1777)
        home = "/" + self.home.name
        said = run(
            "unshare", "--mount", "sh", "-c",
            'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && exec chroot "$1" "$2/bin/tune-node" run'
            ' "$2/share/tune/config/quadratic.ini" --experiment.storage /tmp/results --output json',
            "sh", self.place, home, env={"PATH": os.environ["PATH"]})
        self.assertEqual(json.loads(said)["counts"]["TERMINATED"], 60)


if __name__ == "__main__":
    unittest.main()

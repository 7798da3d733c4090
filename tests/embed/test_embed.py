# SPDX-License-Identifier: BSD-3-Clause
"""The installed files serve other programs: by CMake, by pkg-config, and wherever they were
moved."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ["TUNE_BUILD"])
SCRATCH = Path(os.environ["TUNE_SCRATCH"])
PREFIX = SCRATCH / "prefix"
CXX = os.environ["CXX"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
FOREIGN = re.compile(r"/(caf|boost|spdlog|fmt|openssl|nlohmann|eigen3|Eigen)/|/(archive|archive_entry|sqlite3|xxhash)\.h")


def run(*command, **more):
    """Runs a command to its end; a failure shows all its output."""
    done = subprocess.run(
        [str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, **more
    )
    if done.returncode != 0:
        raise AssertionError("%s\n%s" % (" ".join(str(x) for x in command), done.stdout))
    return done.stdout


def compiler():
    """The compiler, behind ccache if the build uses it."""
    return [x for x in (os.environ.get("TUNE_LAUNCHER"), CXX) if x]


def configure(source, build, *options):
    return run(
        os.environ["CMAKE"], "-S", source, "-B", build, "-G", "Ninja",
        "-DCMAKE_PREFIX_PATH=%s" % PREFIX, "-DCMAKE_CXX_COMPILER=" + CXX,
        "-DCMAKE_CXX_COMPILER_LAUNCHER=" + os.environ.get("TUNE_LAUNCHER", ""),
        "-DCMAKE_BUILD_TYPE=" + os.environ["TUNE_BUILD_TYPE"], *options
    )


def setUpModule():
    shutil.rmtree(str(SCRATCH), ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    # Moved afterwards, since nothing may depend on where it was installed first.
    run(os.environ["CMAKE"], "--install", BUILD, "--prefix", SCRATCH / "elsewhere")
    (SCRATCH / "elsewhere").rename(PREFIX)


class Installed(unittest.TestCase):
    def test_texts_know_no_path_of_the_build(self):
        texts = [x for x in PREFIX.rglob("*") if x.suffix in (".cmake", ".pc", ".hpp")]
        self.assertGreater(len(texts), 50)
        for path in texts:
            text = path.read_text(encoding="utf-8")
            for wrong in (str(BUILD), str(ROOT), str(SCRATCH)):
                self.assertNotIn(wrong, text, path)

    def test_the_program_finds_its_data(self):
        program = PREFIX / "bin" / "tune-node"
        storage = SCRATCH / "results"
        said = run(
            program, "run", ROOT / "config" / "mlp-digits.ini", "--experiment.storage", storage,
            "--experiment.num_samples", "1", "--stop.training_iteration", "1", "--output", "json",
        )
        self.assertIn('"TERMINATED":1', said)

    def headers_behind(self, *names):
        """All headers that a program sees if it includes these."""
        program = SCRATCH / "includes.cpp"
        program.write_text("".join('#include "%s"\n' % x for x in names))
        listed = run(
            CXX, "-std=c++20", *STRICT, "-I", PREFIX / "include", "-H", "-fsyntax-only", program
        )
        return re.findall(r"^\.+ (.*)$", listed, flags=re.M)

    def test_every_header_compiles_alone(self):
        listed = (ROOT / "cmake" / "tune_public_headers.cmake").read_text(encoding="utf-8")
        public = re.findall(r"^  (tune/\S+\.hpp)", listed, flags=re.M)
        self.assertGreater(len(public), 30)
        program = SCRATCH / "alone.cpp"
        for name in public:
            with self.subTest(name):
                program.write_text('#include "%s"\n' % name)
                run(
                    *compiler(), "-std=c++20", *STRICT, "-I", PREFIX / "include", "-c", program,
                    "-o", SCRATCH / "alone.o"
                )

    def test_what_is_for_the_libraries_alone_stays_at_home(self):
        there = [x for x in (PREFIX / "include").rglob("*.hpp")]
        self.assertLess(len(there), len(list((ROOT / "include").rglob("*.hpp"))) / 2)
        self.assertFalse((PREFIX / "include" / "tune" / "core" / "simulate").exists())

    def test_the_headers_of_the_trainable_pull_in_no_library(self):
        include = PREFIX / "include"
        names = [str(x.relative_to(include)) for x in include.glob("tune/trainable/*.hpp")]
        self.assertIn("tune/trainable/trainable.hpp", names)
        behind = self.headers_behind(*names)
        self.assertTrue(any(x.endswith("tune/core/value.hpp") for x in behind))
        self.assertEqual([x for x in behind if FOREIGN.search(x)], [])

    def test_the_tuner_itself_shows_no_library(self):
        behind = self.headers_behind("tune/tuner/tuner.hpp", "tune/app/app.hpp")
        self.assertEqual([x for x in behind if FOREIGN.search(x)], [])

    def test_the_search_for_foreign_headers_finds_them(self):
        behind = self.headers_behind("tune/actors/caf.hpp")
        self.assertNotEqual([x for x in behind if FOREIGN.search(x)], [])


class Package(unittest.TestCase):
    # Simulates a system in which nothing else is installed.
    ALONE = ["-DCMAKE_DISABLE_FIND_PACKAGE_%s=ON" % x for x in ("CAF", "Boost", "OpenSSL", "SQLite3")]

    def test_the_trainable_alone_needs_nothing_else(self):
        configure(HERE / "trainable_only", SCRATCH / "alone", "-DTUNE_WANTED=0.1", *self.ALONE)

    def test_another_minor_version_is_another_package(self):
        with self.assertRaisesRegex(AssertionError, "0.1"):
            configure(HERE / "trainable_only", SCRATCH / "newer", "-DTUNE_WANTED=0.2", *self.ALONE)

    def test_the_example_builds_without_warnings_and_passes_its_tests(self):
        source = SCRATCH / "source"
        shutil.copytree(str(ROOT / "examples" / "embed"), str(source))
        configure(source, SCRATCH / "example", "-DCMAKE_CXX_FLAGS=-Wpedantic -Wshadow -Werror")
        run(os.environ["CMAKE"], "--build", SCRATCH / "example", "-j", "2")
        said = run(os.environ["CTEST"], "--test-dir", SCRATCH / "example", "--output-on-failure")
        self.assertIn("100% tests passed, 0 tests failed out of 21", said)

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_pkg_config_links_every_library(self):
        places = dict(os.environ)
        found = [str(x.parent) for x in PREFIX.rglob("tune.pc")]
        places["PKG_CONFIG_PATH"] = os.pathsep.join(found + [os.environ.get("PKG_CONFIG_PATH", "")])

        def flags(*words):
            return run("pkg-config", *words, "tune", env=places).split()

        self.assertEqual(flags("--modversion"), ["0.1.0"])
        parts, program = SCRATCH / "tiny.o", SCRATCH / "tiny"
        run(*compiler(), *flags("--cflags"), *STRICT, "-c", HERE / "tiny.cpp", "-o", parts)
        run(CXX, parts, *flags("--libs"), "-o", program)
        self.assertEqual(run(program, SCRATCH / "tiny-results"), "{x: -1}\n")
        self.assertIn("square", run(program, "list", "trainables"))
        # Called as the host of a trainable, although its main begins with a tuner.
        with self.assertRaisesRegex(AssertionError, "needs tune::host_main.* first in main"):
            run(program, "__tune-host")


if __name__ == "__main__":
    unittest.main()

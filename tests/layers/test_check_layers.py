# SPDX-License-Identifier: BSD-3-Clause
"""The layer check finds planted violations, and accepts what is allowed."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"


def checked(files):
    """Runs the check over a tree of {path: text}. Returns (exit status, complaints)."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        run = subprocess.run(
            [sys.executable, str(CHECK), directory], stdout=subprocess.PIPE, universal_newlines=True
        )
        return run.returncode, run.stdout.splitlines()[:-1]


class Planted(unittest.TestCase):
    def assert_caught(self, path, text, complaint):
        self.assertEqual(checked({path: text}), (1, [complaint]))

    def test_rising_arrows(self):
        for path, include, room, target in (
            ("src/core/a.cpp", "tune/actors/caf.hpp", "core", "actors"),
            ("include/tune/core/a.hpp", "tune/io/json.hpp", "core", "io"),
            ("src/core/deep/down/a.cpp", "tune/trainable/trainable.hpp", "core", "trainable"),
            ("src/trainable/a.cpp", "tune/io/json.hpp", "trainable", "io"),
            ("src/io/a.cpp", "tune/actors/runner.hpp", "io", "actors"),
            ("src/actors/a.cpp", "tune/net/publish.hpp", "actors", "net"),
            ("src/actors/a.cpp", "digits/digits_mlp.hpp", "actors", "example"),
        ):
            with self.subTest(path):
                text = '#include "%s"' % include
                self.assert_caught(path, text, "%s:1: %s may not include %s" % (path, room, target))

    def test_rising_arrows_by_relative_path(self):
        tree = {"src/core/x/a.cpp": '#include "../../io/b.hpp"', "src/io/b.hpp": ""}

        self.assertEqual(checked(tree), (1, ["src/core/x/a.cpp:1: core may not include io"]))

    def test_local_types_that_two_files_begin(self):
        tree = {
            "src/actors/a.cpp": "TUNE_BEGIN_LOCAL_TYPES(tune_a)",
            "src/net/b.cpp": "TUNE_BEGIN_LOCAL_TYPES(tune_b)",
            "src/net/c.cpp": "TUNE_BEGIN_LOCAL_TYPES(tune_a)",
        }

        complaint = "src/net/c.cpp: begins the local types tune_a, as src/actors/a.cpp does"
        self.assertEqual(checked(tree), (1, [complaint]))
        tree["src/net/c.cpp"] = "namespace x {\n  TUNE_BEGIN_LOCAL_TYPES( tune_a )\n}"
        self.assertEqual(checked(tree), (1, [complaint]))

    def test_positions_of_local_types_that_are_set(self):
        listed = "enum class local_block : std::uint16_t {\n  tune_a,\n  tune_b%s,\n};"
        tree = {"include/tune/actors/caf.hpp": listed % ""}
        self.assertEqual(checked(tree), (0, []))
        tree["include/tune/actors/caf.hpp"] = listed % " = 0"

        complaint = "include/tune/actors/caf.hpp: local_block: tune_b = 0: a position that is set may be another's"
        self.assertEqual(checked(tree), (1, [complaint]))

    def test_types_that_two_files_define(self):
        other = "namespace tune {\n\nnamespace on {\n\n%s {\n};\n\n} // namespace on\n\n} // namespace tune"
        for words in ("struct x", "class x final : public y", "enum class x : std::uint8_t"):
            with self.subTest(words):
                tree = {"include/tune/io/a.hpp": other % "class x", "src/io/b.hpp": other % words}

                complaint = "include/tune/io/a.hpp:5: defines tune::on::x, as src/io/b.hpp does"
                self.assertEqual(checked(tree), (1, [complaint]))

    def test_functions_that_hide_those_of_an_enclosing_namespace(self):
        outer = "namespace tune {\n\n%s\n\n} // namespace tune"
        inner = "namespace tune::cli {\n\n%s\n\n} // namespace tune::cli"
        for ours, theirs in (
            ("inline std::string f(std::string_view text) {\n  return {};\n}", "std::string f(std::string_view x);"),
            ("[[nodiscard]] bool f(int x, const std::string& y = {});", "[[nodiscard]] bool f(int, const std::string& z);"),
            ("bool f(const std::vector<std::string>& x);", "constexpr bool f(const std::vector<std::string>& x) {\n}"),
        ):
            with self.subTest(ours):
                tree = {"include/tune/core/a.hpp": outer % ours, "apps/x/b.hpp": inner % theirs}

                complaint = "apps/x/b.hpp:3: tune::cli::f hides tune::f of include/tune/core/a.hpp"
                self.assertEqual(checked(tree), (1, [complaint]))

    def test_foreign_libraries(self):
        for path, name in (
            ("src/core/a.cpp", "caf/all.hpp"),
            ("src/core/a.cpp", "nlohmann/json.hpp"),
            ("src/core/a.cpp", "Eigen/Core"),
            ("src/core/schedule/a.cpp", "boost/math/distributions.hpp"),
            ("src/core/a.cpp", "sqlite3.h"),
            ("src/core/a.cpp", "unistd.h"),
            ("src/trainable/a.cpp", "sys/wait.h"),
            ("src/trainable/a.cpp", "spdlog/spdlog.h"),
            ("src/io/a.cpp", "caf/all.hpp"),
            ("src/io/a.cpp", "boost/asio.hpp"),
            ("src/actors/a.cpp", "caf/all.hpp"),
            ("src/actors/a.cpp", "sqlite3.h"),
            ("apps/tune-node/main.cpp", "caf/all.hpp"),
        ):
            for text in ("#include <%s>" % name, '  #  include "%s"' % name):
                with self.subTest(path + " " + text):
                    room = "apps" if path.startswith("apps") else path.split("/")[1]
                    self.assert_caught(path, text, "%s:1: %s may not include %s" % (path, room, name))

    def test_files_and_threads_in_the_core(self):
        for name in ("filesystem", "fstream", "iostream", "thread", "mutex", "atomic", "ctime"):
            with self.subTest(name):
                self.assert_caught(
                    "include/tune/core/a.hpp",
                    "#pragma once\n#include <%s>" % name,
                    "include/tune/core/a.hpp:2: core may not use <%s>" % name,
                )

    def test_clocks_and_chance_in_the_core(self):
        for call, named in (
            ("auto t = std::chrono::steady_clock::now();", "::now"),
            ("auto t = clock :: now ();", ":: now"),
            ("auto t = std::time(nullptr);", "std::time"),
            ("auto t = time(0);", "time"),
            ("int e = clock_gettime(CLOCK_MONOTONIC, &x);", "clock_gettime"),
            ("std::random_device r;", "random_device"),
            ("auto x = ::rand();", "::rand"),
            ("std::this_thread::yield();", "this_thread"),
            ('auto* f = std::fopen("x", "r");', "fopen"),
            ('printf("x");', "printf"),
            ('auto* x = std::getenv("HOME");', "std::getenv"),
        ):
            with self.subTest(call):
                path = "src/core/a.cpp"
                self.assert_caught(path, "\n" + call, "%s:2: core may not call %s" % (path, named))

    def test_rooms_that_nobody_knows(self):
        code, complaints = checked({"src/attic/a.cpp": ""})

        self.assertEqual(code, 1)
        self.assertIn("attic is a room", complaints[0])

    def test_every_complaint_is_told(self):
        code, complaints = checked({"src/core/a.cpp": "#include <mutex>\n#include <thread>\n"})

        self.assertEqual((code, len(complaints)), (1, 2))


class Allowed(unittest.TestCase):
    def test_falling_arrows_and_each_rooms_own_libraries(self):
        tree = {
            "src/core/a.cpp": '#include "tune/core/a.hpp"\n#include "b.hpp"\n#include <chrono>',
            "src/core/b.hpp": "",
            "src/core/search/gp/gp.cpp": "#include <Eigen/Dense>\n#include <boost/math/special.hpp>",
            "src/trainable/a.cpp": '#include "tune/core/a.hpp"\n#include <filesystem>',
            "src/io/a.cpp": '#include <nlohmann/json.hpp>\n#include <sqlite3.h>\n#include <sys/wait.h>',
            "include/tune/actors/caf.hpp": "#include <caf/all.hpp>",
            "src/actors/a.cpp": '#include "tune/actors/caf.hpp"\n#include <spdlog/spdlog.h>\n#include <thread>',
            "apps/x/view/b.hpp": "",
            "apps/x/run/c.cpp": '#include "view/b.hpp"',
            "apps/x/main.cpp": '#include "tune/io/a.hpp"\n#include "digits/a.hpp"\n#include <iostream>',
        }
        self.assertEqual(checked(tree), (0, []))

    def test_functions_that_are_hidden_or_of_other_types_or_elsewhere(self):
        outer = "namespace tune {\n\n%s\n\n} // namespace tune"
        tree = {
            "src/core/a.cpp": outer % "namespace {\n\nbool f(int x) {\n}\n\n} // namespace",
            "src/core/b.hpp": outer % "bool f(int x);\nbool g(kind x);\nstruct z {\n  bool h(int x);\n};",
            "src/core/b.cpp": outer % "bool f(int x) {\n  return h(x);\n}\nbool z::h(int x) {\n}",
            "src/io/c.hpp": "namespace other {\n\nbool f(int x);\n\n} // namespace other",
            "apps/x/d.hpp": "namespace tune::cli {\n\nbool f(double x);\nbool g(kind x);\nbool h(int x);\n\n} // namespace tune::cli",
        }
        self.assertEqual(checked(tree), (0, []))

    def test_types_that_are_hidden_or_nested_or_only_declared(self):
        tree = {
            "src/core/a.cpp": "namespace tune {\n\nnamespace {\n\nstruct x {\n};\n\n} // namespace\n\n} // namespace tune",
            "src/core/b.cpp": "namespace tune {\n\nstruct x {\n};\n\n} // namespace tune",
            "src/core/c.cpp": "namespace tune::cli {\n\nstruct x {\n};\nstruct y;\n\n} // namespace tune::cli",
            "src/core/d.cpp": "namespace tune {\n\nvoid f() {\n}\nclass y;\n// struct x {\n} // namespace tune",
        }
        self.assertEqual(checked(tree), (0, []))

    def test_words_that_only_look_like_calls(self):
        text = """
            // std::time(nullptr) and clock_gettime are not called here
            /* steady_clock::now()
               #include <mutex> */
            auto text = "time(0)"; auto raw = R"(now() ::now( )";
            auto a = at.time(); auto b = at->time(); auto c = run_time(); auto n = 1'000'000;
            instant time_limit; auto d = restime(3); std::snprintf(b, 9, f);
        """
        self.assertEqual(checked({"src/core/a.cpp": text}), (0, []))


class Usage(unittest.TestCase):
    def test_an_empty_tree_is_no_success(self):
        self.assertEqual(checked({"README.md": ""})[0], 2)


if __name__ == "__main__":
    unittest.main()

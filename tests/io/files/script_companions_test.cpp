// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/script_companions.hpp"

#include "io/scratch_directory.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

struct script_companions_test : samples::scratch_directory {
  std::vector<std::string> of(const std::string& script) const {
    std::vector<std::string> result;
    for (const auto& file : companions_of(root / script))
      result.push_back(file.lexically_relative(root).string());
    return result;
  }
};

TEST_F(script_companions_test, are_modules_that_a_python_script_imports) {
  fill(root / "train.py", "import os, model as m, numpy\nif True:\n    from data.sets import load\n"
                          "import helpers; import late\nimport native\nimportant = 1\n");
  fill(root / "model.py", "from layers import dense\n");
  fill(root / "layers.py", "import model\n");
  fill(root / "helpers.py", "");
  fill(root / "late.py", "");
  fill(root / "ant.py", "");
  fill(root / "unused.py", "");
  fill(root / "native.cpython-311-x86_64-linux-gnu.so", "");
  fill(root / "data/__init__.py", "from .sets import x\nimport inner\n");
  fill(root / "data/sets.py", "");
  fill(root / "data/words.txt", "");
  fill(root / "data/__pycache__/sets.pyc", "");
  fill(root / "data/.hidden", "");
  fill(root / "inner.py", "");

  EXPECT_THAT(of("train.py"), ElementsAre("data/__init__.py", "data/sets.py", "data/words.txt",
                                          "helpers.py", "inner.py", "late.py", "layers.py",
                                          "model.py", "native.cpython-311-x86_64-linux-gnu.so"));
}

TEST_F(script_companions_test, are_only_modules_of_a_directory_that_is_no_package) {
  fill(root / "train", "#!/usr/bin/env python3\nimport data\n");
  fill(root / "data/sets.py", "");
  fill(root / "data/huge.csv", "");

  EXPECT_THAT(of("train"), ElementsAre("data/sets.py"));
}

TEST_F(script_companions_test, are_files_that_a_shell_script_names_beside_itself) {
  fill(root / "run.sh", "#!/bin/sh\n# $here/comment.sh\n. \"$(dirname \"$0\")/lib.sh\"\n"
                        "source \"${BASH_SOURCE%/*}/sub/more.sh\"\nhere=$(dirname \"$0\")\n"
                        "exec python3 \"$here\"/train.py --in /etc/hostname ./own.sh\n");
  fill(root / "lib.sh", "");
  fill(root / "sub/more.sh", "");
  fill(root / "comment.sh", "");
  fill(root / "own.sh", "");
  fill(root / "etc/hostname", "");
  fill(root / "train.py", "import model\n");
  fill(root / "model.py", "");

  EXPECT_THAT(of("run.sh"), ElementsAre("lib.sh", "model.py", "sub/more.sh", "train.py"));
}

TEST_F(script_companions_test, never_lead_out_of_the_scripts_directory) {
  fill(root / "a/train.py", "import secret, up\n");
  fill(root / "secret.py", "");
  fs::create_symlink(root / "secret.py", root / "a/secret.py");
  fill(root / "a/run.sh", "$here/../secret.py $here/no/such\n");

  EXPECT_THAT(of("a/train.py"), IsEmpty());
  EXPECT_THAT(of("a/run.sh"), IsEmpty());
}

TEST_F(script_companions_test, are_unknown_of_other_programs) {
  fill(root / "tool", std::string{"\x7f"} + "ELF import model\n");
  fill(root / "model.py", "");
  EXPECT_THAT(of("tool"), IsEmpty());
}

} // namespace
} // namespace tune

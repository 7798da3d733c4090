// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/preparation.hpp"

#include "io/scratch_directory.hpp"

#include "tune/tuner/choices.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct code_test : samples::scratch_directory {
  loaded_spec load(const std::string& trainable) const {
    load_request wanted;
    auto all = builtin_choices();
    wanted.schedulers = all.schedulers;
    wanted.searchers = all.searchers;
    auto result = load_spec_text("[experiment]\nmetric = loss\nmode = min\n[space]\nx = 1\n"
                                 "[trainable]\n"
                                     + trainable + "\n",
                                 root / "lab/x.ini", wanted);
    EXPECT_TRUE(result) << to_text(result.faults);
    return result ? *result.loaded : loaded_spec{};
  }
  static std::vector<std::string> names(const std::vector<named_text>& x) {
    std::vector<std::string> result;
    for (const auto& each : x)
      result.push_back(each.name);
    return result;
  }
};

TEST_F(code_test, has_modules_of_scripts_and_templates) {
  fill(root / "lab/src/train.py", "import model\nimport json\n");
  fill(root / "lab/src/model.py", "from layers import dense\n");
  fill(root / "lab/src/layers/__init__.py", "");
  fill(root / "lab/src/other.py", "");
  fill(root / "lab/run.sh", "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\n");
  fill(root / "lab/lib.sh", "");
  fill(root / "lab/cfg.in", "x = {x}\n");
  const auto what = load("command = sh ./run.sh ./src/train.py\nmetric.loss = loss={number}\n"
                         "template = cfg.in -> sub/cfg.toml");

  EXPECT_THAT(names(code_of(what)),
              testing::UnorderedElementsAre("run.sh", "src/train.py", "lib.sh", "src/model.py",
                                            "src/layers/__init__.py", "cfg.in"));
}

TEST_F(code_test, names_an_edited_module_and_an_edited_template) {
  fill(root / "lab/train.py", "import model\n");
  fill(root / "lab/model.py", "a = 1\n");
  fill(root / "lab/cfg.in", "x = {x}\n");
  const auto what = load("command = python3 ./train.py\nmetric.loss = loss={number}\n"
                         "template = cfg.in -> cfg.toml");
  const auto before = code_of(what);
  EXPECT_THAT(edited_names(before, code_of(what)), IsEmpty());
  fill(root / "lab/model.py", "a = 2\n");
  fill(root / "lab/cfg.in", "x = 9{x}\n");

  EXPECT_THAT(edited_names(before, code_of(what)), ElementsAre("model.py", "cfg.in"));
}

TEST_F(code_test, has_a_table) {
  fill(root / "lab/t.csv", "config.x,training_iteration,loss\n1,1,0.5\n");

  EXPECT_THAT(names(code_of(load("path = t.csv"))), ElementsAre("t.csv"));
  EXPECT_THAT(names(code_of(load("path = ./t.csv"))), ElementsAre("t.csv"));
}

} // namespace
} // namespace tune

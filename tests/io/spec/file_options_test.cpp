// Options whose text is read from a file.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/scratch_directory.hpp"
#include "io/spec/spec_support.hpp"

#include "tune/io/spec/convert.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tune {
namespace {

class file_options : public samples::scratch_directory {
protected:
  /// Loads an INI file in this directory with a scheduler that replays a policy.
  load_result load(const std::string& lines) const {
    auto with = support::request();
    with.schedulers = builtin_schedulers();
    return load_spec_text("[experiment]\nmetric = accuracy\n[trainable]\ncommand = train {lr}\n"
                          "[space]\nlr = uniform(0, 1)\n[scheduler]\ntype = pbt_replay\n"
                              + lines,
                          (root / "replay.ini").string(), with);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{root / name} << text;
  }
};

TEST_F(file_options, are_recorded_as_the_text_beside_the_ini_file) {
  write("policy.jsonl", "[1, 2, 3, 4, {\"lr\": 0.5}, {\"lr\": 0.4}]\n"
                        "[1, 1, 7, 7, {\"lr\": 0.4}, {\"lr\": 0.3}]\n");

  auto result = load("policy_file = policy.jsonl\n");

  ASSERT_EQ(to_text(result.faults), "");
  auto texts = option_texts(result.loaded->what.scheduler.options);
  EXPECT_EQ(texts.at("policy"), "[1, 2, 3, 4, {\"lr\": 0.5}, {\"lr\": 0.4}] "
                                "[1, 1, 7, 7, {\"lr\": 0.4}, {\"lr\": 0.3}] ");
  EXPECT_FALSE(texts.contains("policy_file"));
}

TEST_F(file_options, name_files_that_cannot_be_read) {
  EXPECT_EQ(to_text(load("policy_file = nowhere.jsonl\n").faults),
            (root / "replay.ini").string()
                + ":9: [scheduler] policy_file = nowhere.jsonl: cannot read "
                + (root / "nowhere.jsonl").string() + ": No such file or directory");
}

TEST_F(file_options, stand_alone) {
  write("policy.jsonl", "[]");

  EXPECT_EQ(to_text(load("policy_file = policy.jsonl\npolicy = []\n").faults),
            (root / "replay.ini").string()
                + ":9: [scheduler] policy_file: give either this or policy");
}

TEST_F(file_options, are_blamed_for_what_is_wrong_with_their_text) {
  EXPECT_EQ(to_text(load("policy = [1, 2]\n").faults),
            (root / "replay.ini").string()
                + ":9: [scheduler] of pbt_replay: policy: row 1: must be a list of six");
}

} // namespace
} // namespace tune

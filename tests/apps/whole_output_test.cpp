// SPDX-License-Identifier: BSD-3-Clause
#include "run/whole_output.hpp"

#include "io/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace tune::cli {
namespace {

class whole_output : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    std::filesystem::create_directories(root / "trials" / "00003");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{root / "trials" / "00003" / name} << text;
  }
  [[nodiscard]] std::string command(const std::string& quoted) const {
    return whole_output_command(root, trial_id{3}, quoted);
  }
  [[nodiscard]] std::string logs() const { return "tune-node logs " + root.string() + " 00003"; }
};

TEST_F(whole_output, is_of_the_stream_that_the_quoted_lines_are_from) {
  write("stdout", "epoch 1\nloss: nan\n");
  write("stderr", "warning: old driver\nno such layer\n");

  EXPECT_EQ(command("  epoch 1\n  loss: nan\n"), logs());
  EXPECT_EQ(command("  warning: old driver\n  no such layer"), logs() + " --stderr");
}

TEST_F(whole_output, is_found_by_the_beginning_of_a_long_line_behind_much_else) {
  write("stderr", std::string(200'000, 'x') + "\n" + std::string(1000, 'y') + "z\n");

  EXPECT_EQ(command("  " + std::string(90, 'y') + "..."), logs() + " --stderr");
}

TEST_F(whole_output, is_nowhere_where_no_file_has_the_lines) {
  EXPECT_EQ(command("no such layer"), "");
  write("stdout", "epoch 1\n");
  EXPECT_EQ(command("no such layer"), "");
  EXPECT_EQ(command(" \n"), "");
  EXPECT_EQ(whole_output_command(root, trial_id{4}, "epoch 1"), "");
}

TEST_F(whole_output, waits_for_nothing_that_a_trial_puts_in_the_place_of_a_file) {
  std::filesystem::create_directory(root / "trials" / "00003" / "stderr");
  ASSERT_EQ(::symlink("/dev/zero", (root / "trials" / "00003" / "stdout").c_str()), 0);

  EXPECT_EQ(command("epoch 1"), "");
}

} // namespace
} // namespace tune::cli

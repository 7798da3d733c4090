// SPDX-License-Identifier: BSD-3-Clause
#include "serve/trial_log.hpp"

#include "io/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <string>

namespace tune::cli {
namespace {

class trial_log_test : public samples::scratch_directory {
protected:
  trial_log uut;

  void SetUp() override {
    scratch_directory::SetUp();
    uut = {root, trial_id{3}, "stdout"};
  }
  void print(const std::string& text) { fill(root / "trials/00003/stdout", text); }
};

TEST_F(trial_log_test, is_empty_before_anything_is_printed) {
  auto part = read_log(uut, -100, 100);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->text, "");
  EXPECT_TRUE(part->is_at_end());
}

TEST_F(trial_log_test, is_read_from_anywhere) {
  print("0123456789");
  EXPECT_EQ(read_log(uut, 0, 4)->text, "0123");
  EXPECT_EQ(read_log(uut, 4, 100)->text, "456789");
  EXPECT_EQ(read_log(uut, -3, 100)->text, "789");
  EXPECT_EQ(read_log(uut, -100, 2)->text, "01");
  EXPECT_EQ(read_log(uut, 100, 2)->offset, 10U);
  EXPECT_EQ(read_log(uut, INT64_MIN, 100)->text, "0123456789");
  EXPECT_FALSE(read_log(uut, 0, 4)->is_at_end());
}

TEST_F(trial_log_test, cuts_no_letter_apart) {
  print("aé€𝄞");
  std::string all;
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i) {
    auto part = read_log(uut, at, 5);
    all += part->text;
    at = static_cast<std::int64_t>(part->next);
  }
  EXPECT_EQ(all, "aé€𝄞");
  EXPECT_EQ(read_log(uut, -5, 100)->text, "𝄞");
}

TEST_F(trial_log_test, is_harmless_to_whoever_reads_it) {
  print("a\x1b[2J\x07\nb\xff\n\u202e");
  EXPECT_EQ(read_log(uut, 0, 100)->text, "a\\x1b[2J\\x07\nb\xef\xbf\xbd\n\\u202e");
}

TEST_F(trial_log_test, goes_on_past_bytes_that_are_no_text) {
  print(std::string(10, '\xf0'));
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i)
    at = static_cast<std::int64_t>(read_log(uut, at, 3)->next);
  EXPECT_EQ(at, 10);
}

TEST_F(trial_log_test, follows_no_link) {
  fill(root / "secret", "secret");
  std::filesystem::create_directories(root / "trials/00003");
  std::filesystem::create_symlink(root / "secret", root / "trials/00003/stdout");
  EXPECT_FALSE(read_log(uut, 0, 100));
  std::filesystem::remove(root / "trials/00003/stdout");
  ASSERT_EQ(::mkfifo((root / "trials/00003/stdout").c_str(), 0600), 0);
  EXPECT_FALSE(read_log(uut, 0, 100));
  std::filesystem::remove_all(root / "trials/00003");
  std::filesystem::create_directory_symlink(root, root / "trials/00003");
  EXPECT_FALSE(read_log(uut, 0, 100));
}

} // namespace
} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "digits/digit_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace tune::examples;
using testing::HasSubstr;

namespace {

const std::filesystem::path shipped = TUNE_SOURCE_DIR "/data/digits/digits.csv";

std::filesystem::path written(const std::string& name, const std::string& text) {
  auto path = std::filesystem::path{testing::TempDir()} / ("digit_set_test_" + name);
  std::ofstream{path} << text;
  return path;
}

std::string repeated(const std::string& what, int times) {
  std::string result;
  while (times-- > 0)
    result += what;
  return result;
}

std::array<std::size_t, digit_classes> counts(const digit_set& from) {
  std::array<std::size_t, digit_classes> result{};
  for (auto label : from.labels)
    ++result[label];
  return result;
}

/// One text per image, label included, to compare sets.
std::multiset<std::string> images(const digit_set& from) {
  std::multiset<std::string> result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::ostringstream text;
    for (std::size_t j = 0; j < pixels_per_digit; ++j)
      text << from.pixels[i * pixels_per_digit + j] << ' ';
    text << int{from.labels[i]};
    result.insert(text.str());
  }
  return result;
}

} // namespace

TEST(digit_set, reads_all_shipped_images_scaled_to_one) {
  auto all = read_digits(shipped);

  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_EQ(all->size(), 1797u);
  EXPECT_EQ(all->pixels.size(), 1797u * pixels_per_digit);
  EXPECT_EQ(*std::min_element(all->pixels.begin(), all->pixels.end()), 0.0F);
  EXPECT_EQ(*std::max_element(all->pixels.begin(), all->pixels.end()), 1.0F);
  EXPECT_EQ(all->pixels[2], 5 / 16.0F);
  EXPECT_EQ(all->labels[0], 0);
  EXPECT_EQ(all->labels[1796], 8);
}

TEST(digit_set, refuses_a_missing_file_by_name) {
  auto none = read_digits("/nowhere/digits.csv");

  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, tune::ec::unreadable);
  EXPECT_THAT(none.error().detail, HasSubstr("/nowhere/digits.csv"));
}

TEST(digit_set, refuses_bad_rows_with_file_and_line) {
  auto good = repeated("0,", 64) + "7\n";
  for (const auto& bad :
       {repeated("0,", 63) + "7\n", repeated("0,", 65) + "7\n", repeated("0,", 64) + "10\n",
        repeated("17,", 64) + "1\n", repeated("x,", 64) + "1\n", repeated("0,", 64) + "-1\n"}) {
    auto none = read_digits(written("bad.csv", good + bad));

    ASSERT_FALSE(none) << bad;
    EXPECT_EQ(none.error().code, tune::ec::bad_syntax);
    EXPECT_THAT(none.error().detail, HasSubstr("bad.csv:2:"));
  }
}

TEST(digit_set, refuses_an_empty_file) {
  auto none = read_digits(written("empty.csv", ""));

  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().detail, HasSubstr("holds no digits"));
}

TEST(digit_set, splits_into_parts_that_share_no_image_and_lose_none) {
  auto all = read_digits(shipped);
  ASSERT_TRUE(all);

  auto parts = split_digits(*all);

  EXPECT_EQ(parts.train.size(), 1197u);
  EXPECT_EQ(parts.validation.size(), 300u);
  EXPECT_EQ(parts.test.size(), 300u);
  auto together = images(parts.train);
  together.merge(images(parts.validation));
  together.merge(images(parts.test));
  EXPECT_EQ(together, images(*all));
}

TEST(digit_set, gives_each_part_its_share_of_each_class) {
  auto all = read_digits(shipped);
  ASSERT_TRUE(all);

  auto parts = split_digits(*all);

  auto whole = counts(*all);
  for (std::size_t label = 0; label < digit_classes; ++label) {
    auto share = static_cast<double>(whole[label]) / 6;
    EXPECT_NEAR(static_cast<double>(counts(parts.validation)[label]), share, 1) << label;
    EXPECT_NEAR(static_cast<double>(counts(parts.test)[label]), share, 1) << label;
  }
}

TEST(digit_set, agrees_with_the_shipped_libsvm_file) {
  auto all = read_digits(shipped);
  ASSERT_TRUE(all);
  auto in = std::ifstream{TUNE_SOURCE_DIR "/data/digits/digits.libsvm"};
  ASSERT_TRUE(in);

  digit_set other;
  for (std::string row; std::getline(in, row);) {
    auto words = std::istringstream{row};
    int label = 0;
    words >> label;
    other.labels.push_back(static_cast<std::uint8_t>(label));
    other.pixels.resize(other.labels.size() * pixels_per_digit);
    std::size_t index = 0;
    char colon = 0;
    float grey = 0;
    while (words >> index >> colon >> grey)
      other.pixels[other.pixels.size() - pixels_per_digit + index - 1] = grey;
  }

  EXPECT_EQ(other.labels, all->labels);
  EXPECT_EQ(other.pixels, all->pixels);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/ini_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

using namespace tune;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::vector<std::string> sections{"a", "b"};

struct scan {
  ini_text text;
  config_faults faults;
  explicit scan(std::string_view what) { text = scan_ini(what, "f.ini", sections, faults); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> result;
    for (const auto& x : text.entries)
      result.push_back(x.section + "." + x.key + "=" + x.text + "@"
                       + std::to_string(x.origin.line));
    return result;
  }
};

TEST(ini_text, finds_keys_with_their_lines) {
  scan uut{"[a]\n\nx = 1\n  y=2  \n\t[b]\r\nx =\t3\r\n"};

  EXPECT_TRUE(uut.faults.empty()) << to_text(uut.faults);
  EXPECT_THAT(uut.lines(), ElementsAre("a.x=1@3", "a.y=2@4", "b.x=3@6"));
  EXPECT_EQ(uut.text.sections.at("b"), 5u);
}

TEST(ini_text, merges_sections_that_repeat) {
  scan uut{"[a]\nx=1\n[b]\ny=2\n[a]\nz=3"};

  EXPECT_TRUE(uut.faults.empty());
  EXPECT_THAT(uut.lines(), ElementsAre("a.x=1@2", "b.y=2@4", "a.z=3@6"));
  EXPECT_EQ(uut.text.sections.at("a"), 1u);
}

TEST(ini_text, cuts_comments_but_keeps_escaped_hashes) {
  scan uut{"# all\n[a] # of it\nx = 1 # one\ny = \\#fff \\\\# more\nz = a\\b # \\# c\n   # end\n"};

  EXPECT_TRUE(uut.faults.empty()) << to_text(uut.faults);
  EXPECT_THAT(uut.lines(), ElementsAre("a.x=1@3", "a.y=#fff \\# more@4", "a.z=a\\b@5"));
  EXPECT_TRUE(uut.text.entries[0].cut);
  EXPECT_FALSE(uut.text.entries[1].cut);
}

TEST(ini_text, gives_escaped_texts_back) {
  for (std::string text : {"#", "a # b", "##", "\\", "a\\b", "[x", "=", "ü#"}) {
    scan uut{"[a]\nx = " + ini_escaped(text)};
    EXPECT_THAT(uut.lines(), ElementsAre("a.x=" + text + "@2"));
  }
}

TEST(ini_text, strips_a_byte_order_mark) {
  scan uut{"\xEF\xBB\xBF[a]\nx=1\n"};

  EXPECT_TRUE(uut.faults.empty()) << to_text(uut.faults);
  EXPECT_THAT(uut.lines(), ElementsAre("a.x=1@2"));
}

TEST(ini_text, splits_at_the_first_equals_sign) {
  EXPECT_THAT(scan{"[a]\nx = y >= 3\nz = =\n"}.lines(), ElementsAre("a.x=y >= 3@2", "a.z==@3"));
}

TEST(ini_text, complains_once_about_an_unknown_section) {
  scan uut{"[c]\nx=1\nnonsense\n[a]\ny=1"};

  EXPECT_EQ(uut.faults.total(), 1u) << to_text(uut.faults);
  EXPECT_THAT(uut.lines(), ElementsAre("a.y=1@5"));
}

TEST(ini_text, accepts_every_well_formed_character_and_no_other) {
  for (auto good : {"é", "€", "😀", "\xF4\x8F\xBF\xBF", "\xEE\x80\x80"})
    EXPECT_TRUE(scan{std::string{"[a]\nx="} + good}.faults.empty()) << good;
  for (auto bad : {"\x80", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF",
                   "\x1b", "\x7f", "\xC3(", "\xF0\x80\x80\x80"})
    EXPECT_EQ(scan{std::string{"[a]\nx="} + bad}.faults.total(), 1u) << bad;
}

TEST(ini_text, stops_counting_the_faults_of_a_file_of_nonsense) {
  std::string nonsense;
  for (int i = 0; i < 1000000; ++i)
    nonsense += "x\n";

  scan uut{nonsense};

  EXPECT_EQ(uut.faults.list().size(), config_faults::kept);
  EXPECT_THAT(to_text(uut.faults), HasSubstr("more"));
}

TEST(ini_text, reads_no_file_above_its_limit) {
  auto path = std::filesystem::path{testing::TempDir()} / "tune_ini_text_large.ini";
  std::ofstream{path} << "";
  std::filesystem::resize_file(path, 50 * 1000 * 1000);
  auto begin = std::chrono::steady_clock::now();

  auto text = read_ini_file(path);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{1});
  std::filesystem::remove(path);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().detail, HasSubstr("larger than 8 MB"));
}

TEST(ini_text, tells_why_a_path_cannot_be_read) {
  auto missing = read_ini_file("/nowhere/at/all.ini");
  auto directory = read_ini_file(testing::TempDir());

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ec::unreadable);
  EXPECT_THAT(missing.error().detail, HasSubstr("No such file"));
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().detail, HasSubstr("is a directory"));
}

TEST(config_fault, fits_one_harmless_line) {
  config_fault uut{{config_origin::source::file, "f.ini", 3},
                   "a",
                   "x",
                   "x = \x1b[31m\n" + std::string(1000, 'y')};

  auto text = to_text(uut);

  EXPECT_THAT(text, testing::StartsWith("f.ini:3: [a] x = "));
  EXPECT_EQ(text.find_first_of("\x1b\n"), text.npos);
  EXPECT_LT(text.size(), 420u);
}

TEST(config_fault, shows_three_and_counts_the_rest) {
  config_faults uut;
  for (std::size_t i = 5; i > 0; --i)
    uut.add({{config_origin::source::file, "f.ini", i}, "", "", "wrong"});
  uut.sort();

  EXPECT_EQ(to_text(uut), "f.ini:1: wrong\nf.ini:2: wrong\nf.ini:3: wrong\nand 2 more");
}

} // namespace

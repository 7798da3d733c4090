// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tune;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<std::string> texts(std::string_view command) {
  auto words = split_words(command);
  if (!words)
    return {"error: " + words.error().detail};
  std::vector<std::string> result;
  for (const auto& x : *words)
    result.push_back(x.text);
  return result;
}

TEST(words, are_split_at_blanks) {
  EXPECT_THAT(texts("  python3\ttrain.py  -v "), ElementsAre("python3", "train.py", "-v"));
  EXPECT_THAT(texts(""), IsEmpty());
  EXPECT_THAT(texts(" \t "), IsEmpty());
}

TEST(words, keep_what_quotes_hold_together) {
  EXPECT_THAT(texts(R"(sh -c 'echo "$X"; exit 3')"),
              ElementsAre("sh", "-c", "echo \"$X\"; exit 3"));
  EXPECT_THAT(texts(R"(a"b c"'d e'f)"), ElementsAre("ab cd ef"));
  EXPECT_THAT(texts(R"("" '' x)"), ElementsAre("", "", "x"));
}

TEST(words, follow_posix_in_backslashes) {
  EXPECT_THAT(texts(R"(a\ b \' "\"\\\$\`\n" '\n')"), ElementsAre("a b", "'", R"("\$`\n)", R"(\n)"));
}

TEST(words, have_no_shell) {
  EXPECT_THAT(texts("a; b | c > $HOME *.py &"),
              ElementsAre("a;", "b", "|", "c", ">", "$HOME", "*.py", "&"));
}

TEST(words, tell_where_a_quote_is_open) {
  EXPECT_THAT(texts("a 'b"), ElementsAre("error: the quote ' in column 3 is not closed"));
  EXPECT_THAT(texts("\"b\\\""), ElementsAre("error: the quote \" in column 1 is not closed"));
  EXPECT_THAT(texts("a\\"), ElementsAre(HasSubstr("backslash at the end")));
}

TEST(words, know_whether_their_ends_were_quoted) {
  auto words = split_words("[a] '[b]' \"[\"c] [d\\]");

  ASSERT_TRUE(words);
  ASSERT_EQ(words->size(), 4u);
  EXPECT_TRUE((*words)[0].bare_first && (*words)[0].bare_last);
  EXPECT_FALSE((*words)[1].bare_first || (*words)[1].bare_last);
  EXPECT_TRUE(!(*words)[2].bare_first && (*words)[2].bare_last);
  EXPECT_TRUE((*words)[3].bare_first && !(*words)[3].bare_last);
}

TEST(words, come_back_from_their_quotes) {
  for (auto word : {"", "a", "a b", "it's", "\"", "\\", "$x", "[", "{a}", "ü", "a#b", "'"}) {
    EXPECT_THAT(texts(quoted_word(word) + " " + quoted_word(word)), ElementsAre(word, word));
  }
}

} // namespace

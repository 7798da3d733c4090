// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/word_backlog.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tune {
namespace {

TEST(word_backlog, has_room_for_so_many_words) {
  word_backlog uut;
  for (std::size_t i = 1; i < word_backlog::most_words; ++i)
    uut.add(1);
  EXPECT_TRUE(uut.has_room());

  uut.add(1);
  EXPECT_FALSE(uut.has_room());

  uut.heard(1);
  EXPECT_TRUE(uut.has_room());
}

TEST(word_backlog, has_room_for_so_many_bytes) {
  word_backlog uut;
  uut.add(1);
  uut.add(word_backlog::most_bytes - 2);
  EXPECT_TRUE(uut.has_room());

  uut.add(1);
  EXPECT_FALSE(uut.has_room());
  // The small one does not make room for much.
  uut.heard(1);
  EXPECT_TRUE(uut.has_room());
  uut.add(1);
  EXPECT_FALSE(uut.has_room());

  uut.heard(4);
  uut.add(word_backlog::most_bytes - 1);
  EXPECT_TRUE(uut.has_room());
}

TEST(word_backlog, counts_again_from_the_word_that_is_not_heard) {
  word_backlog uut;
  uut.heard(5); // nothing was said
  uut.add(word_backlog::most_bytes);
  EXPECT_FALSE(uut.has_room());
  uut.heard(0);
  EXPECT_FALSE(uut.has_room());
  uut.heard(1);
  uut.heard(1);
  EXPECT_TRUE(uut.has_room());
}

TEST(word_backlog, counts_texts_names_and_what_is_nested) {
  const std::string text(10'000, 'x');
  const auto plain = bytes_of({{"loss", value{0.5}}});
  EXPECT_GT(plain, sizeof(object));
  EXPECT_LT(plain, 500u);

  EXPECT_GT(bytes_of({{"note", value{text}}}), plain + 9'000);
  EXPECT_GT(bytes_of({{text, value{0.5}}}), plain + 9'000);
  EXPECT_GT(bytes_of({{"all", value{object{{"note", value{text}}}}}}), plain + 9'000);
  EXPECT_GT(bytes_of({{"all", value{value::list(1'000, value{0.5})}}}), plain + 8'000);
  EXPECT_GT(bytes_of({{"all", value{value::list{value{text}, value{text}}}}}), plain + 19'000);
}

} // namespace
} // namespace tune

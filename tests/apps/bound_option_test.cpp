// Options that are bound to the fields they set.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/bound_option.hpp"
#include "command/command_options.hpp"
#include "command/command_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class fruit : std::uint8_t { unknown, apple, pear };

struct basket {
  bool is_open = false;
  bool has_lid = true;
  std::string owner;
  std::optional<std::uint64_t> size;
  std::optional<fruit> kind;
  words marks;
  offered_request offers;
};

bound_options<basket> all() {
  return joined<basket>(
      {{bound({"open", 0, "", "m"}, &basket::is_open),
        bound({"no-lid", 0, "", "m"}, &basket::has_lid, false),
        of_process(bound({"owner", 0, "NAME", "m"}, &basket::owner)),
        bound_count({"size", 0, "N", "m"}, &basket::size, 1, 9, "is at most 9"),
        bound_choice({"kind", 0, "KIND", "m", {"apple", "pear"}}, &basket::kind, 1),
        bound_all({"mark", 0, "TEXT", "m"}, &basket::marks)},
       within(&basket::offers, label_options())});
}

command_doc doc() {
  return {"pick", "m", {{"tune-node pick", "m"}}, {}, docs_of(all())};
}

expected<basket> read(const words& given) {
  const auto where = doc();
  auto found = read_words(given, where);
  if (!found)
    return found.error();
  basket result;
  if (auto done = read_options(*found, all(), result, where); !done)
    return done.error();
  return result;
}

TEST(bound_option, sets_the_fields_of_what_was_given) {
  auto uut = read({"--open", "--no-lid", "--owner", "me", "--size", "3", "--kind", "pear", "--mark",
                   "a", "--mark", "b", "--label", "gpu=a100"});

  ASSERT_TRUE(uut);
  EXPECT_TRUE(uut->is_open);
  EXPECT_FALSE(uut->has_lid);
  EXPECT_EQ(uut->owner, "me");
  EXPECT_EQ(uut->size, 3u);
  EXPECT_EQ(uut->kind, fruit::pear);
  EXPECT_THAT(uut->marks, ElementsAre("a", "b"));
  EXPECT_THAT(uut->offers.labels, ElementsAre("gpu=a100"));
}

TEST(bound_option, leaves_the_others_as_they_are) {
  auto uut = read({});

  ASSERT_TRUE(uut);
  EXPECT_TRUE(uut->has_lid);
  EXPECT_EQ(uut->kind, std::nullopt);
  EXPECT_THAT(uut->marks, IsEmpty());
}

TEST(bound_option, says_which_option_has_a_wrong_value) {
  EXPECT_THAT(read({"--size", "0"}).error().detail,
              HasSubstr("--size is a whole number from 1, not '0'"));
  EXPECT_THAT(read({"--size", "10"}).error().detail, HasSubstr("--size is at most 9"));
  EXPECT_THAT(read({"--label", "gpu=a", "--label", "gpu=b"}).error().detail,
              HasSubstr("--label: 'gpu' is given two values"));
}

TEST(bound_option, says_which_option_is_missing) {
  const auto where = doc();
  bound_options<basket> options{needed(bound({"owner", 0, "NAME", "m"}, &basket::owner), "NAME")};
  basket to;

  auto done = read_options({}, options, to, where);

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().detail, HasSubstr("pick needs --owner NAME"));
}

TEST(bound_option, repeats_what_was_given_except_what_is_of_this_process) {
  auto found = read_words({"--owner", "me", "--mark", "-a", "--open", "--size", "2"}, doc());
  ASSERT_TRUE(found);

  EXPECT_THAT(own_words(*found, all()), ElementsAre("--open", "--size", "2", "--mark=-a"));
}

TEST(bound_option, is_what_the_table_of_commands_is_made_of) {
  auto names = [](const std::vector<option_doc>& from) {
    std::vector<std::string> result;
    for (const auto& x : from)
      result.emplace_back(x.name);
    return result;
  };
  EXPECT_EQ(names(find_command("worker")->options), names(docs_of(options_of_worker())));
  EXPECT_EQ(names(find_command("head")->options), names(docs_of(options_of_head())));
  EXPECT_EQ(names(find_command("run")->options), names(docs_of(options_of_run())));
  EXPECT_EQ(names(global_options()), names(docs_of(general_options())));
}

} // namespace
} // namespace tune::cli

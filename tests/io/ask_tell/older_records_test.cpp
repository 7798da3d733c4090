// Records of older heads, whose draws for exploits depended on the judged event.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/flaky_talk.hpp"
#include "support/judges.hpp"

#include "tune/core/check/replay_check.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

using samples::flaky_talk;
using samples::recipe;
using samples::tuning;

constexpr std::uint64_t some_kills = 5;
constexpr auto all_heads = std::numeric_limits<std::uint32_t>::max();

std::unique_ptr<scheduler> judge_of(const std::string& name, bool draws_by_event) {
  static const auto all = builtin_schedulers();
  static const auto space = support::space_of({{"x", "uniform(0, 100)"}});
  const auto* who = support::find_judge(name);
  const auto* entry = all.find(who->type);
  scheduler_context context{
      7, 1, false, space, support::one_slot(), draws_by_event, draws_by_event};
  return std::move(*entry->make(*options::parse(entry->known, who->options), context));
}

recipe recorded_by(const std::string& name, std::uint32_t older_heads) {
  recipe result;
  result.trials = 12;
  result.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 2;
  result.space = support::space_of({{"x", "uniform(0, 100)"}});
  result.judge = [name] { return judge_of(name, false); };
  result.older_judge = [name] { return judge_of(name, true); };
  result.older_heads = older_heads;
  return result;
}

struct verdict {
  std::vector<std::string> found;
  std::uint64_t verified = 0;
};

/// The findings of `fsck --verify`.
verdict verify(const recipe& how, const std::vector<event>& log, bool knows_older = true) {
  rule_set rules{how.judge(), std::make_unique<samples::list_searcher>(how.trials), {}, {}};
  if (knows_older)
    rules.older_judges.push_back(how.older_judge());
  replay_check uut{how.settings, std::move(rules), true};
  for (const auto& x : log)
    static_cast<void>(uut.apply(x));
  uut.end();
  verdict result{{}, uut.verified()};
  for (const auto& x : uut.found().kept())
    result.found.push_back(to_text(x));
  return result;
}

std::vector<event> log_of(const recipe& how) {
  tuning by{how, 3, some_kills};
  by.run();
  EXPECT_TRUE(by.is_over());
  EXPECT_GT(by.kills(), 5u);
  return by.world().log();
}

class older_records : public testing::TestWithParam<std::string> {};

TEST_P(older_records, are_verified_by_the_draws_of_their_time) {
  auto how = recorded_by(GetParam(), all_heads);
  auto log = log_of(how);

  auto seen = verify(how, log);

  EXPECT_EQ(seen.found, std::vector<std::string>{});
  EXPECT_GT(seen.verified, 50u);
  // Without the older rules there are findings.
  EXPECT_FALSE(verify(how, log, false).found.empty());
}

TEST_P(older_records, are_verified_where_a_newer_head_went_on) {
  auto how = recorded_by(GetParam(), 8);

  EXPECT_EQ(verify(how, log_of(how)).found, std::vector<std::string>{});
}

TEST_P(older_records, are_told_from_new_ones) {
  auto how = recorded_by(GetParam(), 0);
  auto log = log_of(how);
  EXPECT_EQ(verify(how, log).found, std::vector<std::string>{});

  for (auto& x : log) {
    if (auto* head = std::get_if<on::opened>(&x.what))
      head->draws = 0;
  }

  EXPECT_FALSE(verify(how, log).found.empty());
}

INSTANTIATE_TEST_SUITE_P(fsck, older_records,
                         testing::Values("pbt", "pb2", "resource_changing_pbt"));

} // namespace
} // namespace tune

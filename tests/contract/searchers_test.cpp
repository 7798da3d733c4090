/// Rules that every searcher of the catalogue must obey.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/repeat/repeater.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;
using namespace tune::support;

using entry = searcher_catalogue::entry;

/// All searchers but `none`, which proposes nothing of its own, and `external`, which needs a
/// process.
std::vector<entry> those_that_search() {
  auto all = builtin_searchers();
  auto result = all.entries();
  std::erase_if(result, [](const entry& x) { return x.name == "none" || x.name == "external"; });
  return {result.begin(), result.end()};
}

/// The same searchers inside a repeater, which runs each configuration several times and confirms
/// the best.
std::vector<entry> those_repeated() {
  auto result = those_that_search();
  for (auto& x : result) {
    x.name += "_repeated";
    x.make
        = [plain = x.make](const options& with,
                           const searcher_context& about) -> expected<std::unique_ptr<searcher>> {
      auto inner = plain(with, about);
      if (!inner)
        return inner.error();
      repeat_rule rule;
      rule.runs = 2;
      rule.confirm = 2;
      return std::unique_ptr<searcher>{
          std::make_unique<repeater>(std::move(*inner), rule, about.samples)};
    };
  }
  return result;
}

struct named_space {
  std::string name;
  std::vector<parameter_text> lines;
};

/// Spaces of various kinds; a searcher may refuse some of them, but not all.
const std::vector<named_space>& spaces() {
  static const std::vector<named_space> result{
      {"floats", {{"x", "uniform(-1, 1)"}, {"lr", "loguniform(1e-5, 1)"}, {"k", "7"}}},
      {"mixed",
       {{"opt.kind", "choice(sgd, adam, \"a b\")"},
        {"opt.momentum", "uniform(0, 1) if opt.kind == sgd"},
        {"n", "lograndint(1, 1000)"},
        {"q", "quniform(0, 1, 0.05)"},
        {"z", "randn(0, 1) if n > 30 or opt.momentum < 0.5"}}},
      {"finite",
       {{"a", "choice(1, 2, 3)"}, {"b", "choice(x, y) if a != 2"}, {"c", "randint(0, 4)"}}},
      {"grids", {{"g", "grid(1, 2)"}, {"h", "grid(1, 2, 3) if g == 2"}, {"u", "uniform(0, 1)"}}},
      {"one", {{"x", "uniform(0, 1)"}}},
      {"ranges",
       {{"units2", "randint(1, {units1} + 1)"},
        {"units1", "lograndint(1, 64)"},
        {"a", "uniform(0, 1)"},
        {"b", "loguniform(0.001, {a} + 0.01) if units2 > 2"}}},
      {"vast",
       {{"all", "randint(-9223372036854775808, 9223372036854775807)"},
        {"most", "qrandint(-9000000000000000000, 9000000000000000000, 3)"},
        {"large", "lograndint(1, 9000000000000000000)"}}},
      {"finite_ranges", {{"a", "randint(1, 5)"}, {"b", "qrandint(0, 2 * {a}, 2)"}}},
  };
  return result;
}

/// A made-up but deterministic score; if `hostile`, sometimes not a number.
double score_of(const object& config, bool hostile) {
  fingerprint hash;
  hash.add(config);
  auto digest = hash.digest();
  if (hostile && digest % 4 == 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (hostile && digest % 4 == 1)
    return std::numeric_limits<double>::infinity();
  if (hostile && digest % 4 == 2)
    return -std::numeric_limits<double>::infinity();
  return static_cast<double>(digest % 1000);
}

struct manner {
  std::uint64_t seed = 11;
  std::uint64_t samples = 24;
  std::uint32_t at_once = 1;
  /// Whether scores may be NaN or infinite, and trials may fail or be lost.
  bool hostile = false;
};

/// A run in which each trial reports once and ends before the next ask.
class run {
public:
  run(std::unique_ptr<searcher> uut, const manner& how) : from_{std::move(uut)}, how_{how} {}

  void go(std::size_t asks) {
    for (std::size_t i = 0; i < asks && !ended_; ++i) {
      auto first = from_.trials();
      auto answer = from_.next(how_.at_once);
      ended_ = std::holds_alternative<exhausted>(answer);
      if (const auto* list = std::get_if<std::vector<suggestion>>(&answer)) {
        ASSERT_LE(list->size(), how_.at_once);
        ASSERT_FALSE(list->empty());
        for (const auto& x : *list)
          finish(trial_id{first++}, x);
      }
    }
  }

  [[nodiscard]] asking& from() { return from_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const std::vector<suggestion>& found() const { return found_; }

private:
  void finish(trial_id trial, const suggestion& x) {
    found_.push_back(x);
    auto score = score_of(*x.config, how_.hostile);
    from_.tell({trial, x.config, 1, 1, {score}, {}, outcome::running});
    auto end = outcome::completed;
    if (how_.hostile)
      end = static_cast<outcome>(1 + trial.number % 5);
    auto values = how_.hostile && trial.number % 3 == 0 ? std::vector<double>{}
                                                        : std::vector<double>{score};
    from_.tell({trial, x.config, 1, 2, values, {}, end});
  }

  asking from_;
  manner how_;
  std::vector<suggestion> found_;
  bool ended_ = false;
};

class every_searcher : public testing::TestWithParam<entry> {
protected:
  /// Makes the searcher; null if it refuses the space.
  static std::unique_ptr<searcher> make(const named_space& space, const manner& how) {
    auto defaults = options::parse(GetParam().known, {});
    if (!defaults) {
      ADD_FAILURE() << defaults.error().detail;
      return nullptr;
    }
    searcher_context about{space_of(space.lines), how.seed, how.samples, 1, {}};
    auto made = GetParam().make(*defaults, about);
    return made ? std::move(*made) : nullptr;
  }

  /// Calls `f` with each space that the searcher accepts.
  template <class F>
  static void for_each_space(F f) {
    int taken = 0;
    for (const auto& space : spaces()) {
      SCOPED_TRACE("space " + space.name);
      if (make(space, {}) == nullptr)
        continue;
      ++taken;
      f(space);
    }
    EXPECT_GT(taken, 0) << "it takes no space at all";
  }

  static std::vector<std::string> texts_of(const named_space& space, const manner& how,
                                           std::size_t asks = 40) {
    run uut{make(space, how), how};
    uut.go(asks);
    return texts(uut.found());
  }
};

TEST_P(every_searcher, says_what_it_is) {
  EXPECT_FALSE(GetParam().name.empty());
  EXPECT_FALSE(GetParam().summary.empty());
  EXPECT_FALSE(GetParam().source.empty());
  for (const auto& x : GetParam().known)
    EXPECT_FALSE(x.meaning.empty()) << x.name;
}

TEST_P(every_searcher, suggests_the_same_for_equal_seeds) {
  for_each_space([](const named_space& space) {
    auto once = texts_of(space, {});
    EXPECT_FALSE(once.empty());
    EXPECT_EQ(once, texts_of(space, {}));
  });
}

TEST_P(every_searcher, suggests_something_else_for_another_seed) {
  for_each_space([](const named_space& space) {
    if (GetParam().name.starts_with("grid"))
      return;
    EXPECT_NE(texts_of(space, {}), texts_of(space, {.seed = 12}));
  });
}

TEST_P(every_searcher, stays_inside_the_space) {
  for_each_space([](const named_space& space) {
    for (bool hostile : {false, true}) {
      manner how{.samples = 100, .at_once = 3, .hostile = hostile};
      run uut{make(space, how), how};
      uut.go(40);
      for (const auto& x : uut.found()) {
        auto config = *x.config;
        EXPECT_EQ(config.erase("seed"), GetParam().name.ends_with("_repeated"));
        auto why = space_of(space.lines)->reject(config, false);
        EXPECT_FALSE(why) << to_text(value{*x.config}) << ": " << why->detail;
        EXPECT_FALSE(x.origin.empty());
      }
    }
  });
}

TEST_P(every_searcher, does_not_care_how_many_are_asked_for_at_once_if_it_learns_nothing) {
  for_each_space([](const named_space& space) {
    if (make(space, {})->traits().ahead == 1)
      return;
    auto singly = texts_of(space, {.at_once = 1});
    auto in_threes = texts_of(space, {.at_once = 3});
    auto shared = std::min(singly.size(), in_threes.size());
    ASSERT_GT(shared, 0u);
    singly.resize(shared);
    in_threes.resize(shared);
    EXPECT_EQ(singly, in_threes);
  });
}

TEST_P(every_searcher, does_not_change_by_proposing) {
  for_each_space([](const named_space& space) {
    auto uut = make(space, {});
    fingerprint before;
    uut->describe(before);
    auto first = uut->propose({1, 2, 0});
    auto second = uut->propose({1, 2, 0});
    fingerprint after;
    uut->describe(after);

    EXPECT_EQ(before.digest(), after.digest());
    ASSERT_TRUE(std::holds_alternative<std::vector<suggestion>>(first));
    EXPECT_EQ(texts(std::get<0>(first)), texts(std::get<0>(second)));
  });
}

TEST_P(every_searcher, is_where_it_was_after_a_replay) {
  for_each_space([](const named_space& space) {
    for (bool hostile : {false, true}) {
      manner how{.at_once = 2, .hostile = hostile};
      run uut{make(space, how), how};
      uut.go(8);

      auto fresh = make(space, how);
      for (const auto& fact : uut.from().facts())
        fresh->apply(fact);

      fingerprint ours;
      uut.from().uut().describe(ours);
      fingerprint theirs;
      fresh->describe(theirs);
      EXPECT_EQ(ours.digest(), theirs.digest());
      ask next{uut.from().asks() + 1, 4, uut.from().seq()};
      auto a = uut.from().uut().propose(next);
      auto b = fresh->propose(next);
      ASSERT_EQ(a.index(), b.index());
      if (const auto* list = std::get_if<std::vector<suggestion>>(&a)) {
        EXPECT_EQ(texts(*list), texts(std::get<0>(b)));
      }
    }
  });
}

TEST_P(every_searcher, tells_states_apart) {
  for_each_space([](const named_space& space) {
    run uut{make(space, {}), {}};
    fingerprint before;
    uut.from().uut().describe(before);
    uut.go(1);
    fingerprint after;
    uut.from().uut().describe(after);
    EXPECT_NE(before.digest(), after.digest());
  });
}

TEST_P(every_searcher, that_ends_by_itself_ends_after_its_samples) {
  for_each_space([](const named_space& space) {
    manner how{.samples = 5, .at_once = 4};
    if (!make(space, how)->traits().exhaustible)
      return;
    run uut{make(space, how), how};
    uut.go(2000);
    EXPECT_TRUE(uut.ended());
    EXPECT_GE(uut.found().size(), 5u);
  });
}

INSTANTIATE_TEST_SUITE_P(catalogue, every_searcher, testing::ValuesIn(those_that_search()),
                         [](const auto& x) { return x.param.name; });
INSTANTIATE_TEST_SUITE_P(repeated, every_searcher, testing::ValuesIn(those_repeated()),
                         [](const auto& x) { return x.param.name; });

} // namespace

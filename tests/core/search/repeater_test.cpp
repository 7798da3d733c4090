// A repeater: runs each configuration of a searcher several times, and the best again.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/repeat/repeater.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tune {
namespace {

using support::asking;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Records what it is told; proposes x = 0, 1, 2, …
class listening : public searcher {
public:
  struct notes {
    std::vector<std::uint64_t> asks;
    std::vector<std::uint64_t> firsts;
    std::vector<object> suggested;
    std::vector<observation> heard;
  };

  listening(std::shared_ptr<notes> to, std::uint64_t end) : to_{std::move(to)}, end_{end} {}

  [[nodiscard]] searcher_traits traits() const override { return {}; }
  void apply(const searcher_fact& what) override {
    if (const auto* told = std::get_if<suggested_fact>(&what.what)) {
      to_->asks.push_back(told->ask);
      to_->firsts.push_back(told->first.number);
      if (const auto* list = std::get_if<std::vector<suggestion>>(&told->what)) {
        for (const auto& x : *list)
          to_->suggested.push_back(*x.config);
        made_ += list->size();
      }
    } else {
      to_->heard.push_back(std::get<observation>(what.what));
    }
  }
  [[nodiscard]] proposal propose(const ask& question) const override {
    std::vector<suggestion> result;
    for (auto i = made_; i < std::min(end_, made_ + question.count); ++i)
      result.push_back(
          {std::make_shared<object>(object{{"x", static_cast<std::int64_t>(i)}}), "it"});
    if (result.empty())
      return exhausted{"it has no more"};
    return result;
  }
  void describe(fingerprint& into) const override { into.add(made_); }

private:
  std::shared_ptr<notes> to_;
  std::uint64_t end_;
  std::uint64_t made_ = 0;
};

repeat_rule rule_of(std::uint32_t runs, std::uint32_t confirm = 0) {
  repeat_rule result;
  result.runs = runs;
  result.confirm = confirm;
  result.confirm_runs = 2;
  return result;
}

struct repeated : testing::Test {
  std::shared_ptr<listening::notes> notes = std::make_shared<listening::notes>();

  asking make(repeat_rule rule, std::uint64_t samples = 0, std::uint64_t end = 1000) {
    return asking{
        std::make_unique<repeater>(std::make_unique<listening>(notes, end), rule, samples)};
  }
  static std::vector<suggestion> list_of(const proposal& x) {
    const auto* list = std::get_if<std::vector<suggestion>>(&x);
    return list == nullptr ? std::vector<suggestion>{} : *list;
  }
  static std::vector<std::string> texts(const proposal& x) {
    std::vector<std::string> result;
    for (const auto& y : list_of(x))
      result.push_back(to_text(*y.config->find("x")) + "/" + to_text(*y.config->find("seed")));
    return result;
  }
  /// Ends a trial with `value`; without any value if that is NaN.
  static void end(asking& from, std::uint64_t trial, const suggestion& what, double value,
                  outcome how = outcome::completed) {
    std::vector<double> values;
    if (!std::isnan(value)) {
      values = {value};
      from.tell({{trial}, what.config, 1, 3, values, {}, outcome::running});
    }
    from.tell({{trial}, what.config, 1, 4, values, {}, how});
  }
};

TEST_F(repeated, each_configuration_comes_so_often_with_numbers_of_its_own) {
  auto from = make(rule_of(3));

  EXPECT_THAT(texts(from.next(4)), ElementsAre("0/0", "0/1", "0/2", "1/0"));
  EXPECT_THAT(texts(from.next(1)), ElementsAre("1/1"));
  EXPECT_THAT(texts(from.next(3)), ElementsAre("1/2", "2/0", "2/1"));

  EXPECT_THAT(notes->suggested, ElementsAre(object{{"x", 0}}, object{{"x", 1}}, object{{"x", 2}}));
  EXPECT_THAT(notes->asks, ElementsAre(1, 2));
  EXPECT_THAT(notes->firsts, ElementsAre(0, 2));
}

TEST_F(repeated, the_number_of_samples_counts_configurations) {
  auto from = make(rule_of(2), 2);

  EXPECT_TRUE(from.uut().traits().exhaustible);
  EXPECT_THAT(texts(from.next(100)), ElementsAre("0/0", "0/1", "1/0", "1/1"));
  EXPECT_TRUE(std::holds_alternative<exhausted>(from.next(1)));
}

TEST_F(repeated, the_searcher_hears_of_a_configuration_once_and_by_all_its_runs) {
  auto from = make(rule_of(3));
  auto list = list_of(from.next(3));

  end(from, 1, list[1], 0.5);
  end(from, 0, list[0], 0.1);
  EXPECT_THAT(notes->heard, IsEmpty());
  end(from, 2, list[2], 0.9, outcome::stopped);

  ASSERT_EQ(notes->heard.size(), 1u);
  const auto& heard = notes->heard.front();
  EXPECT_EQ(heard.trial, trial_id{0});
  EXPECT_EQ(*heard.config, (object{{"x", 0}}));
  EXPECT_EQ(heard.how, outcome::completed);
  ASSERT_EQ(heard.values.size(), 1u);
  EXPECT_NEAR(heard.values[0], 0.5, 1e-12);
}

TEST_F(repeated, the_best_report_of_a_run_counts_and_runs_without_any_do_not) {
  auto from = make(rule_of(3));
  auto list = list_of(from.next(3));

  from.tell({{0}, list[0].config, 1, 1, {0.8}, {-1}, outcome::running});
  end(from, 0, list[0], 0.2);
  end(from, 1, list[1], nan, outcome::failed);
  from.tell({{2}, list[2].config, 1, 2, {0.4}, {-3}, outcome::completed});

  ASSERT_EQ(notes->heard.size(), 1u);
  EXPECT_NEAR(notes->heard[0].values[0], 0.6, 1e-12);
  EXPECT_THAT(notes->heard[0].constraints, ElementsAre(-2));
  EXPECT_EQ(notes->heard[0].fidelity, 1u);
}

TEST_F(repeated, a_configuration_all_of_whose_runs_failed_is_told_as_failed) {
  auto from = make(rule_of(2));
  auto list = list_of(from.next(2));

  end(from, 0, list[0], nan, outcome::failed);
  end(from, 1, list[1], nan, outcome::lost);

  ASSERT_EQ(notes->heard.size(), 1u);
  EXPECT_THAT(notes->heard[0].values, IsEmpty());
  EXPECT_EQ(notes->heard[0].how, outcome::failed);
}

TEST_F(repeated, a_configuration_has_diverged_if_no_run_has_a_number) {
  auto from = make(rule_of(2));
  auto list = list_of(from.next(4));

  for (std::uint64_t i = 0; i < 4; ++i) {
    observation made{{i}, list[i].config, 1, 1, {i == 3 ? 0.5 : nan}, {}, outcome::stopped};
    made.diverged = i != 3;
    from.tell(made);
  }

  ASSERT_EQ(notes->heard.size(), 2u);
  EXPECT_TRUE(notes->heard[0].diverged);
  EXPECT_FALSE(notes->heard[1].diverged);
}

TEST_F(repeated, what_a_client_adds_is_told_as_a_configuration_of_one_run) {
  auto from = make(rule_of(2));
  auto list = list_of(from.next(2));
  auto added = std::make_shared<object>(object{{"x", 77}, {"seed", 0}});

  from.tell({{2}, added, 1, 5, {0.7}, {}, outcome::completed});

  ASSERT_EQ(notes->heard.size(), 1u);
  EXPECT_EQ(notes->heard[0].trial, trial_id{1});
  EXPECT_EQ(*notes->heard[0].config, (object{{"x", 77}}));
}

TEST_F(repeated, a_configuration_that_comes_once_more_goes_on_counting) {
  auto space = support::space_of({{"x", "grid(1, 2)"}});
  auto inner = support::make_searcher("random", {space, 1, 2, 1, {}});
  ASSERT_TRUE(inner);
  asking from{std::make_unique<repeater>(std::move(*inner), rule_of(2), 2)};

  EXPECT_THAT(texts(from.next(8)),
              ElementsAre("1/0", "1/1", "2/0", "2/1", "1/2", "1/3", "2/2", "2/3"));
}

TEST_F(repeated, a_searcher_that_waits_for_clients_goes_on_waiting) {
  auto space = support::space_of({{"x", "uniform(0, 1)"}});
  auto inner = support::make_searcher("none", {space, 1, 1, 1, {{{"x", 0.5}}, {{"x", 0.25}}}});
  ASSERT_TRUE(inner);
  asking from{std::make_unique<repeater>(std::move(*inner), rule_of(2), 1)};

  EXPECT_EQ(from.uut().traits().ahead, 0u);
  EXPECT_THAT(texts(from.next(9)), ElementsAre("0.5/0", "0.5/1", "0.25/0", "0.25/1"));
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(from.next(9)));
}

TEST_F(repeated, the_best_are_confirmed_once_all_have_ended) {
  auto from = make(rule_of(1, 2), 3);
  auto list = list_of(from.next(9));
  ASSERT_EQ(list.size(), 3u);
  end(from, 0, list[0], 0.2);
  end(from, 1, list[1], 0.9);
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(from.next(9)));
  end(from, 2, list[2], 0.5);

  auto some = from.next(3);
  EXPECT_THAT(texts(some), ElementsAre("1/1", "1/2", "2/1"));
  EXPECT_EQ(list_of(some)[0].origin, "confirms 00001");
  EXPECT_THAT(texts(from.next(9)), ElementsAre("2/2"));
  EXPECT_TRUE(std::holds_alternative<exhausted>(from.next(9)));
  EXPECT_EQ(notes->heard.size(), 3u);
}

TEST_F(repeated, what_a_client_added_is_confirmed_with_numbers_that_it_has_not_had) {
  auto from = make(rule_of(1, 1), 1);
  auto list = list_of(from.next(9));
  end(from, 0, list[0], 0.2);
  auto added = [&](std::uint64_t trial, int seed) {
    return observation{{trial},
                       std::make_shared<object>(object{{"x", 77}, {"seed", seed}}),
                       1,
                       5,
                       {0.9},
                       {},
                       outcome::completed};
  };
  from.tell(added(1, 0));
  from.tell(added(2, 4));

  EXPECT_THAT(texts(from.next(9)), ElementsAre("77/5", "77/6"));
}

TEST_F(repeated, a_configuration_that_a_client_added_before_goes_on_counting_when_it_is_drawn) {
  auto from = make(rule_of(2));
  auto first = std::make_shared<object>(object{{"x", 0}, {"seed", 3}});
  auto odd = std::make_shared<object>(object{{"x", 1}, {"seed", "three"}});

  from.tell({{90}, first, 1, 0, {}, {}, outcome::running});
  from.tell({{91}, odd, 1, 0, {}, {}, outcome::running});

  EXPECT_THAT(texts(from.next(4)), ElementsAre("0/4", "0/5", "1/0", "1/1"));
}

TEST_F(repeated, nothing_is_confirmed_before_what_a_client_added_has_ended) {
  auto from = make(rule_of(1, 1), 1);
  auto list = list_of(from.next(9));
  suggestion added{std::make_shared<object>(object{{"x", 77}, {"seed", 0}}), "client"};
  from.tell({{1}, added.config, 1, 0, {}, {}, outcome::running});
  end(from, 0, list[0], 0.2);

  EXPECT_TRUE(std::holds_alternative<nothing_yet>(from.next(9)));
  end(from, 1, added, 0.9);
  EXPECT_THAT(texts(from.next(9)), ElementsAre("77/1", "77/2"));
}

TEST_F(repeated, what_a_client_adds_while_others_are_confirmed_is_confirmed_too) {
  auto from = make(rule_of(1, 1), 1);
  auto list = list_of(from.next(9));
  end(from, 0, list[0], 0.2);
  EXPECT_THAT(texts(from.next(1)), ElementsAre("0/1"));
  suggestion added{std::make_shared<object>(object{{"x", 77}, {"seed", 0}}), "client"};
  from.tell({{2}, added.config, 1, 0, {}, {}, outcome::running});

  EXPECT_TRUE(std::holds_alternative<nothing_yet>(from.next(9)));
  end(from, 2, added, 0.9);
  EXPECT_THAT(texts(from.next(9)), ElementsAre("77/1", "77/2"));
}

TEST_F(repeated, more_samples_later_are_confirmed_too) {
  auto from = make(rule_of(1, 1), 0, 1);
  auto first = list_of(from.next(9));
  end(from, 0, first[0], 0.2);
  EXPECT_EQ(list_of(from.next(9)).size(), 2u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(from.next(9)));

  // A head that resumes makes its searcher anew and tells it everything again.
  repeater next{std::make_unique<listening>(notes, 2), rule_of(1, 1), 0};
  for (const auto& x : from.facts())
    next.apply(x);
  auto more = next.propose({9, 9, 0});
  EXPECT_THAT(texts(more), ElementsAre("1/0"));
}

TEST_F(repeated, it_tells_what_it_would_have_said_with_other_samples) {
  auto from = make(rule_of(1, 1), 2);
  const auto& uut = dynamic_cast<const repeater&>(from.uut());
  auto list = list_of(from.next(1));
  auto told = uut.with_other_samples({9, 9, 0});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(list_of(told[0]).size(), 9u);
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(told[1]));

  end(from, 0, list[0], 0.5);

  EXPECT_THAT(texts(uut.with_other_samples({9, 9, 0})[1]), ElementsAre("0/1", "0/2"));
  EXPECT_THAT(texts(from.next(9)), ElementsAre("1/0"));
}

TEST_F(repeated, it_is_the_same_again_after_every_fact) {
  auto make_one = [] {
    auto space = support::space_of({{"x", "uniform(0, 1)"}});
    auto inner = support::make_searcher("random", {space, 7, 4, 1, {}});
    return std::make_unique<repeater>(std::move(*inner), rule_of(2, 2), 4);
  };
  asking from{make_one()};
  std::vector<suggestion> all;
  for (int i = 0; i < 20; ++i) {
    for (auto& x : list_of(from.next(1 + static_cast<std::uint32_t>(i % 3)))) {
      end(from, all.size(), x, 0.1 * static_cast<double>(all.size() % 7));
      all.push_back(std::move(x));
    }
  }
  ASSERT_EQ(all.size(), 12u);

  auto again = make_one();
  for (const auto& x : from.facts()) {
    if (const auto* told = std::get_if<suggested_fact>(&x.what)) {
      auto answer = again->propose({told->ask, 3, 0});
      auto was = texts(told->what);
      auto is = texts(answer);
      is.resize(std::min(is.size(), was.size()));
      EXPECT_EQ(is, was);
    }
    again->apply(x);
  }
  fingerprint one;
  fingerprint other;
  from.uut().describe(one);
  again->describe(other);
  EXPECT_EQ(one.digest(), other.digest());
}

/// A searcher that learns, with three runs of each configuration; it hears the end of each run.
class thinking {
public:
  explicit thinking(repeat_rule rule, std::uint64_t samples)
      : uut_{std::make_unique<repeater>(inner(), std::move(rule), samples)} {}

  [[nodiscard]] repeater& uut() { return static_cast<repeater&>(uut_.uut()); }
  [[nodiscard]] ask next() const { return {uut_.asks() + 1, 1, uut_.seq()}; }

  bool run() {
    auto trial = trial_id{uut_.trials()};
    auto answer = uut_.next(1);
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      return false;
    auto x = *list->front().config->find("x")->number();
    auto noise = 0.01 * static_cast<double>(trial.number % 3);
    uut_.tell({trial, list->front().config, 1, 1, {noise - x * x}, {}, outcome::completed});
    return true;
  }

private:
  asking uut_;

  static std::unique_ptr<searcher> inner() {
    searcher_context about{support::space_of({{"x", "uniform(-1, 2)"}}), 4, 0, 1, {}};
    return std::move(*support::make_searcher("auto", about));
  }
};

std::string shown(const proposal& what) {
  const auto* list = std::get_if<std::vector<suggestion>>(&what);
  return list != nullptr ? to_text(value{*list->front().config}) : "none";
}

TEST(repeater, says_later_what_it_would_say_now) {
  thinking with{{3, run_judge::mean, "seed", 2, 2}, 16};
  int later = 0;
  for (;;) {
    auto now = with.uut().propose(with.next());
    auto job = with.uut().propose_later(with.next());
    if (job) {
      ++later;
      EXPECT_EQ(shown(job()), shown(now));
    }
    if (!with.run())
      break;
  }
  // Eight configurations are a design; of each of the others only the first run asks the model.
  EXPECT_EQ(later, 8);
}

TEST(repeater, says_later_for_all_runs_that_are_wanted_at_once) {
  thinking with{{3, run_judge::mean, "seed", 0, 0}, 20};
  while (!with.uut().propose_later(with.next()))
    with.run();
  auto question = with.next();
  question.count = 5;

  auto answer = with.uut().propose_later(question)();

  auto list = std::get<std::vector<suggestion>>(answer);
  auto expected = std::get<std::vector<suggestion>>(with.uut().propose(question));
  ASSERT_EQ(list.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(*list[i].config, *expected[i].config);
}

/// A searcher that defers its proposals.
class slow final : public listening {
public:
  using listening::listening;
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override {
    return [copy = *this, question] { return copy.propose(question); };
  }
};

TEST_F(repeated, puts_off_what_the_searcher_inside_puts_off) {
  repeater uut{std::make_unique<slow>(notes, 1000), rule_of(2), 3};
  asking from{std::make_unique<repeater>(std::make_unique<listening>(notes, 1000), rule_of(2), 3)};
  std::size_t put_off = 0;
  for (std::uint64_t i = 0; i < 7; ++i) {
    ask question{i + 1, 1, from.seq()};
    auto later = uut.propose_later(question);
    put_off += later ? 1 : 0;
    auto said = later ? later() : uut.propose(question);
    auto wanted = from.next(1);
    ASSERT_EQ(said.index(), wanted.index());
    if (const auto* list = std::get_if<std::vector<suggestion>>(&said)) {
      EXPECT_EQ(*list->front().config, *std::get<std::vector<suggestion>>(wanted).front().config);
    }
    uut.apply(from.facts().back());
  }
  // Deferred once per configuration, since the second run of each is known.
  EXPECT_EQ(put_off, 3U);
}

TEST_F(repeated, tells_when_an_answer_was_asked_for) {
  std::vector<sequence> asked;
  class noting final : public listening {
  public:
    noting(std::shared_ptr<notes> to, std::vector<sequence>& asked)
        : listening{std::move(to), 1000}, asked_{asked} {}
    void apply(const searcher_fact& what) override {
      if (const auto* told = std::get_if<suggested_fact>(&what.what))
        asked_.push_back(told->asked);
      listening::apply(what);
    }

  private:
    std::vector<sequence>& asked_;
  };
  repeater uut{std::make_unique<noting>(notes, asked), rule_of(2), 3};
  suggested_fact made{1, uut.propose({1, 1, 5}), {0}, 5};
  uut.apply({9, made});
  EXPECT_THAT(asked, ElementsAre(5U));
}

// By hand: the mean of 1, 2 and 6 is 3, and the squared deviations are 4 + 1 + 9.
TEST_F(repeated, the_inner_searcher_hears_how_far_the_runs_lay_apart) {
  auto from = make(rule_of(3));
  auto list = list_of(from.next(3));

  end(from, 0, list[0], 1);
  end(from, 1, list[1], 6);
  end(from, 2, list[2], 2);

  ASSERT_EQ(notes->heard.size(), 1u);
  ASSERT_TRUE(notes->heard[0].spread);
  EXPECT_EQ(notes->heard[0].spread->runs, 3u);
  EXPECT_DOUBLE_EQ(notes->heard[0].spread->squares, 14);
  EXPECT_EQ(notes->heard[0].spread->worth, 3);
}

TEST_F(repeated, a_run_without_a_value_makes_the_others_no_less_certain) {
  auto from = make(rule_of(3));
  auto list = list_of(from.next(3));

  end(from, 0, list[0], 1);
  end(from, 1, list[1], nan, outcome::failed);
  end(from, 2, list[2], 3);

  ASSERT_TRUE(notes->heard[0].spread);
  EXPECT_EQ(notes->heard[0].spread->runs, 2u);
  EXPECT_DOUBLE_EQ(notes->heard[0].spread->squares, 2);
}

TEST(repeater, repeats_what_earlier_versions_of_its_searcher_proposed) {
  // Few draws satisfy the rule, and earlier versions soon left combinations out.
  searcher_context about{support::space_of({{"x", "grid(1, 2, 3)"},
                                            {"y", "uniform(0, 1)"},
                                            {"constraint", "x > 2.5 and y < 0.0005"}}),
                         7,
                         40,
                         1,
                         {}};
  auto made = [&] { return std::move(*support::make_searcher("random", about)); };
  auto plain = made();
  auto alone
      = dynamic_cast<const has_earlier_versions&>(*plain).earlier_proposals({1, 2, 0}).front();
  const auto& once = std::get<std::vector<suggestion>>(alone);
  ASSERT_EQ(once.size(), 2u);
  repeater uut{made(), rule_of(2), 0};

  auto said = uut.earlier_proposals({1, 4, 0});

  ASSERT_EQ(said.size(), 1u);
  const auto& twice = std::get<std::vector<suggestion>>(said.front());
  ASSERT_EQ(twice.size(), 4u);
  for (std::size_t i = 0; i < twice.size(); ++i)
    EXPECT_EQ(*find_parameter(*twice[i].config, "y"), *find_parameter(*once[i / 2].config, "y"));
}

TEST(repeater, has_no_other_past_than_its_searcher) {
  repeater uut{std::make_unique<listening>(std::make_shared<listening::notes>(), 3), rule_of(2), 0};

  EXPECT_THAT(uut.earlier_proposals({1, 4, 0}), IsEmpty());
}

} // namespace
} // namespace tune

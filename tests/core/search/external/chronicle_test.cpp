// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/external/answer.hpp"
#include "tune/core/search/external/chronicle.hpp"
#include "tune/core/search/external/message.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tune::external {
namespace {

const std::vector<searched_metric> metrics{{"loss", false}, {"acc", true}};

const std::shared_ptr<const search_space>& line() {
  static const auto result = support::space_of({{"a.x", "uniform(0, 1)"}});
  return result;
}

config_ptr at(double x) {
  return std::make_shared<const object>(object{{"a", object{{"x", x}}}});
}

/// The messages for a process, as texts.
std::vector<std::string> told(const past& what) {
  std::vector<std::string> result;
  for (const auto& x : what)
    result.push_back(to_text(value{message_of(*x, *line(), metrics)}));
  return result;
}

suggested_fact answer(std::uint64_t ask, std::uint64_t trial, double x, sequence asked,
                      std::string origin = std::string{own_origin}) {
  return {ask, std::vector<suggestion>{{at(x), std::move(origin)}}, {trial}, asked};
}

observation news(std::uint64_t trial, double x, outcome how, std::uint64_t iteration = 0,
                 std::vector<double> values = {}) {
  observation result;
  result.trial = {trial};
  result.config = at(x);
  result.how = how;
  result.fidelity = iteration;
  result.values = std::move(values);
  return result;
}

using texts = std::vector<std::string>;

TEST(external_chronicle, puts_an_answer_where_its_question_was_asked) {
  chronicle quick{true};
  chronicle slow{true};
  auto report = news(0, 0.5, outcome::running, 1, {-2, 0.5});
  auto end = news(0, 0.5, outcome::completed, 1, {-2, 0.5});
  quick.apply({3, answer(1, 0, 0.5, 2)});
  quick.apply({6, answer(2, 1, 0.25, 5)});
  quick.apply({7, report});
  quick.apply({8, end});
  slow.apply({3, answer(1, 0, 0.5, 2)});
  slow.apply({7, report});
  slow.apply({8, end});
  slow.apply({9, answer(2, 1, 0.25, 5)});
  EXPECT_EQ(told(slow.whole()), told(quick.whole()));
  EXPECT_EQ(told(slow.whole()),
            (texts{"{type: suggested, id: 1, trial: 0, config: {a.x: 0.5}}",
                   "{type: suggested, id: 2, trial: 1, config: {a.x: 0.25}}",
                   "{type: result, trial: 0, iteration: 1, metrics: {loss: 2, acc: 0.5}}",
                   "{type: complete, trial: 0, status: finished, iteration: 1, "
                   "metrics: {loss: 2, acc: 0.5}}"}));
}

TEST(external_chronicle, ends_where_it_is_cut) {
  chronicle uut{true};
  uut.apply({3, answer(1, 0, 0.5, 2)});
  uut.apply({7, news(0, 0.5, outcome::stopped)});
  EXPECT_EQ(uut.until(1).size(), 0U);
  EXPECT_EQ(uut.until(2).size(), 1U);
  EXPECT_EQ(uut.until(6).size(), 1U);
  EXPECT_EQ(uut.until(7).size(), 2U);
}

TEST(external_chronicle, tells_of_trials_that_the_process_did_not_suggest) {
  chronicle uut{true};
  uut.apply({3, answer(1, 0, 0.5, 2, "point 1")});
  uut.apply({4, news(1, 0.25, outcome::running)});
  uut.apply({5, news(1, 0.25, outcome::failed)});
  EXPECT_EQ(told(uut.whole()), (texts{"{type: added, trial: 0, config: {a.x: 0.5}, from: points}",
                                      "{type: added, trial: 1, config: {a.x: 0.25}, from: client}",
                                      "{type: complete, trial: 1, status: failed}"}));
  EXPECT_EQ(uut.suggested(), 1U);
}

TEST(external_chronicle, tells_of_other_configurations_and_missing_numbers) {
  chronicle uut{true};
  uut.apply({3, answer(1, 0, 0.5, 2)});
  auto what = news(0, 0.75, outcome::running, 4, {-INFINITY, NAN});
  what.constraints = {-1.0, INFINITY};
  uut.apply({5, what});
  uut.apply({6, what});
  auto all = told(uut.whole());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1], "{type: result, trial: 0, config: {a.x: 0.75}, iteration: 4, "
                    "metrics: {loss: inf, acc: null}, violations: [-1, inf]}");
  EXPECT_EQ(all[2], "{type: result, trial: 0, iteration: 4, metrics: {loss: inf, acc: null}, "
                    "violations: [-1, inf]}");
}

TEST(external_chronicle, keeps_no_reports_unless_they_are_wanted) {
  chronicle uut{false};
  uut.apply({3, answer(1, 0, 0.5, 2)});
  uut.apply({4, news(0, 0.5, outcome::running, 1, {-2, 0.5})});
  EXPECT_EQ(uut.whole().size(), 1U);
  uut.apply({5, news(0, 0.5, outcome::lost, 1, {-2, 0.5})});
  EXPECT_EQ(told(uut.whole()).back(), "{type: complete, trial: 0, status: lost, iteration: 1, "
                                      "metrics: {loss: 2, acc: 0.5}}");
}

TEST(external_chronicle, tells_that_there_was_nothing) {
  chronicle uut{false};
  uut.apply({3, suggested_fact{1, nothing_yet{}, {0}, 2}});
  uut.apply({5, suggested_fact{2, exhausted{"all tried"}, {0}, 4}});
  EXPECT_EQ(told(uut.whole()), (texts{"{type: suggested, id: 1, wait: true}",
                                      "{type: suggested, id: 2, none: true}"}));
}

TEST(external_message, describes_the_space) {
  auto space = support::space_of({{"lr", "loguniform(1e-4, 1)"},
                                  {"q", "quniform(0.25, 1, 0.25)"},
                                  {"n", "randint(1, 9)"},
                                  {"m", "qrandint(8, 28, 4)"},
                                  {"z", "randn(0, 2)"},
                                  {"k", "choice(a, 2, 2.5)"},
                                  {"c", "7"},
                                  {"p", "uniform(0, 1) if (k in (a, 2) or not n > 3) and lr < 1"}});
  texts all;
  for (const auto& x : description_of(*space)) {
    auto each = *x.as_object();
    each.erase("text");
    all.push_back(to_text(value{each}));
  }
  EXPECT_EQ(
      all,
      (texts{"{name: lr, type: float, low: 1e-04, high: 1, log: true}",
             "{name: q, type: float, low: 0.25, high: 1, log: false, step: 0.25}",
             "{name: n, type: int, low: 1, high: 8, log: false, step: 1}",
             "{name: m, type: int, low: 8, high: 28, log: false, step: 4}",
             "{name: z, type: normal, mean: 0, sd: 2}",
             "{name: k, type: choice, values: [a, 2, 2.5]}", "{name: c, type: constant, value: 7}",
             "{name: p, type: float, low: 0, high: 1, log: false, if: {and: [{or: [{name: k, "
             "in: [a, 2]}, {not: {name: n, is: >, value: 3}}]}, {name: lr, is: <, value: 1}]}}"}));
  EXPECT_EQ(*description_of(*space).front().as_object()->find("text"),
            value{"loguniform(1e-04, 1)"});
}

TEST(external_message, begins_with_all_that_is_known_before) {
  searcher_context about;
  about.space = line();
  about.seed = 7;
  about.samples = 0;
  about.metrics = metrics;
  about.constraint_texts = {"latency <= 5"};
  EXPECT_EQ(to_text(value{begin_message(about, {{"sampler", "tpe"}})}),
            "{type: begin, tune: 1, seed: 7, samples: null, metrics: [{name: loss, mode: min}, "
            "{name: acc, mode: max}], constraints: [latency <= 5], space: [{name: a.x, type: "
            "float, low: 0, high: 1, log: false, text: uniform(0, 1)}], options: {sampler: "
            "tpe}}");
}

} // namespace
} // namespace tune::external

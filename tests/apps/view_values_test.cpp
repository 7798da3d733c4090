// Rules of the read model as plain values: filters, orders, cursors, sampling, rungs.
// SPDX-License-Identifier: BSD-3-Clause
#include "head/beginning_words.hpp"
#include "view/curves.hpp"
#include "view/fields.hpp"
#include "view/filter.hpp"
#include "view/joined_metric.hpp"
#include "view/node_track.hpp"
#include "view/parameters.hpp"
#include "view/query.hpp"
#include "view/rungs.hpp"
#include "view/sampling.hpp"
#include "view/trial_rows.hpp"

#include "tune/core/trial/end_reasons.hpp"
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using numbers = std::vector<std::size_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(sampling, keeps_all_of_few_and_the_ends_of_many) {
  const std::vector<double> few{3, 1, 2};
  EXPECT_EQ(telling_places(few, 4), (numbers{0, 1, 2}));
  EXPECT_EQ(telling_places({}, 4), numbers{});

  const std::vector<double> many(1000, 1.0);
  const auto kept = telling_places(many, 10);
  EXPECT_LE(kept.size(), 10u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 999u);
}

TEST(sampling, keeps_the_extremes_whatever_the_number_of_points) {
  std::vector<double> values(10'007);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<double>(i));
  values[5003] = 100;
  values[77] = -100;
  values[4000] = nan;
  for (std::size_t most : {4, 5, 10, 100, 999, 10'006}) {
    const auto kept = telling_places(values, most);
    EXPECT_LE(kept.size(), most);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
    EXPECT_EQ(std::count(kept.begin(), kept.end(), 5003u), 1) << most;
    EXPECT_EQ(std::count(kept.begin(), kept.end(), 77u), 1) << most;
  }
}

TEST(sampling, spreads_places_with_both_ends) {
  EXPECT_EQ(spread_places(5, 9), (numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(spread_places(9, 3), (numbers{0, 4, 8}));
  EXPECT_EQ(spread_places(9, 1), (numbers{8}));
}

TEST(cursor, is_read_back_and_nothing_else_is) {
  const value::list place{1, value{"ünï \"x\""}, true};
  const auto text = cursor_text(place);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), text.npos);
  EXPECT_EQ(cursor_from(text), place);
  for (const std::string& bad :
       {std::string{}, std::string{"7"}, std::string{"zz"}, std::string{"7b7d"}, text + "0",
        text.substr(2), std::string(100'000, '5'), std::string{"5b5b5b5b5b5b5b"}})
    EXPECT_FALSE(cursor_from(bad)) << bad.substr(0, 20);
}

TEST(filter, reads_comparisons) {
  auto found = parse_filter(
      R"(param:lr < 0.01 and status=ERRORED AND text ~ "a \"b\" and" and best:x/y!=nan)");

  ASSERT_TRUE(found) << found.error().detail;
  ASSERT_EQ(found->size(), 4u);
  EXPECT_EQ((*found)[0].key.column, (column_name{column_name::kind::parameter, "lr"}));
  EXPECT_EQ((*found)[0].number, 0.01);
  EXPECT_EQ((*found)[1].text, "ERRORED");
  EXPECT_EQ((*found)[2].text, "a \"b\" and");
  EXPECT_EQ((*found)[3].key.column, (column_name{column_name::kind::best, "x/y"}));
}

TEST(filter, names_what_is_wrong) {
  const std::pair<const char*, ec> all[] = {
      {"lr < 1", ec::unknown_name},
      {"param: < 1", ec::unknown_name},
      {"status", ec::bad_syntax},
      {"status =", ec::bad_syntax},
      {"status = \"x", ec::bad_syntax},
      {"status = ERRORED or status = PAUSED", ec::bad_syntax},
      {"status = ERRORED status = PAUSED", ec::bad_syntax},
      {"status = FOO", ec::bad_syntax},
      {"status != FOO", ec::bad_syntax},
      {"text = x", ec::bad_syntax},
      {"= 1", ec::unknown_name},
      {"\"status\" = 1", ec::unknown_name},
      {"status = ERRORED and", ec::unknown_name},
  };
  for (const auto& [text, code] : all) {
    auto found = parse_filter(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, code) << text;
  }
  EXPECT_EQ(parse_filter(std::string(5000, 'x')).error().code, ec::bad_option);
  std::string many = "trial = 1";
  for (int i = 0; i < 30; ++i)
    many += " and trial = 1";
  EXPECT_EQ(parse_filter(many).error().code, ec::bad_option);
}

TEST(beginning_words, call_nothing_running_that_waits) {
  allocation_view stands;
  EXPECT_EQ(beginning_words(stands, true, {}), "runs");
  stands.place = 2;
  EXPECT_EQ(beginning_words(stands, false, {}), "is queued at place 2");
  EXPECT_EQ(beginning_words(stands, true, {}), "is queued");
  queue_claim served;
  served.was_served = true;
  EXPECT_EQ(beginning_words(stands, true, served), "");
  stands.place = 0;
  stands.stands_aside = true;
  EXPECT_EQ(beginning_words(stands, true, served), "waits, as no node can run its trials");
  EXPECT_EQ(waiting_words(stands), "waits, as no node can run its trials");
  stands.stands_aside = false;
  stands.place = 3;
  EXPECT_EQ(waiting_words(stands), "is queued at place 3");
}

TEST(fault, of_an_experiment_that_has_not_begun_yet_asks_for_another_look) {
  EXPECT_EQ(fault_of({ec::unreachable, "not yet"}).status, 503u);
  EXPECT_EQ(fault_of({ec::unreadable, "broken"}).status, 500u);
}

TEST(filter, survives_any_bytes) {
  const std::string alphabet{"param:lr <>=!~\"\\and\0\xff\n status1e9", 36};
  std::uint64_t seed = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int k = 0; k < 30; ++k) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      text += alphabet[(seed >> 33U) % alphabet.size()];
    }
    (void)parse_filter(text);
  }
}

comparison one(const std::string& text) {
  auto found = parse_filter(text);
  EXPECT_TRUE(found);
  return found->front();
}

TEST(trial_table, counts_trials_by_what_made_them) {
  trial_table uut{{{{"loss", false}}, {}, {}}};
  auto read = [&uut](std::uint64_t trial, std::string_view origin, std::string_view reason = {}) {
    raw_trial x;
    x.trial = trial_id{trial};
    x.config = "{}";
    x.origin = origin;
    x.reason = reason;
    x.status = reason.empty() ? trial_status::running : trial_status::terminated;
    uut.read(x, trial + 1, {});
  };
  const auto withdrawn = std::string{withdrawn_reason} + "it is not wanted";
  read(0, "random");
  read(1, client_origin);
  read(2, client_origin);
  read(3, "random");

  EXPECT_EQ(uut.made().samples, 2u);
  EXPECT_EQ(uut.made().added, 2u);
  read(1, client_origin, withdrawn);
  read(3, "random", withdrawn);
  read(3, "random", withdrawn);
  read(0, "random", "it is over");
  EXPECT_EQ(uut.made().samples, 1u);
  EXPECT_EQ(uut.made().added, 1u);
  EXPECT_EQ(uut.made().all(), 2u);
}

TEST(filter, compares_numbers_and_texts_and_heeds_what_is_missing) {
  const std::string adam = "Adam";
  EXPECT_TRUE(fits(one("param:x <= 1"), 1, nullptr));
  EXPECT_FALSE(fits(one("param:x < 1"), 1, nullptr));
  EXPECT_FALSE(fits(one("param:x < 1"), nan, nullptr));
  EXPECT_FALSE(fits(one("param:x >= 1"), nan, nullptr));
  EXPECT_TRUE(fits(one("param:x != 1"), nan, nullptr));
  EXPECT_TRUE(fits(one("param:x = adam"), nan, &adam));
  EXPECT_TRUE(fits(one("param:x ~ DA"), nan, &adam));
  EXPECT_FALSE(fits(one("param:x !~ DA"), nan, &adam));
  EXPECT_TRUE(fits(one("param:x !~ DA"), nan, nullptr));
  EXPECT_TRUE(fits(one("param:x < inf"), 1e300, nullptr));
  EXPECT_TRUE(fits(one("param:x > 1e-400"), 1e-310, nullptr)) << "0";
  EXPECT_TRUE(fits(one("param:x > -1e400"), -1e300, nullptr)) << "-inf";
  EXPECT_FALSE(fits(one("param:x > +1e400"), 1e300, nullptr));
  EXPECT_TRUE(parse_filter("status = errored and status ~ ERR"));
}

/// Trials from JSON.
class table_test : public testing::Test {
protected:
  trial_table uut{{{{"loss", false}}, {}, {}}};

  void add(std::uint64_t number, const std::string& config, const std::string& best,
           trial_status status = trial_status::terminated) {
    raw_trial x;
    x.trial = {number};
    x.status = status;
    x.config = config;
    x.metrics = x.best_metrics = best;
    x.iterations = best.empty() ? 0 : 9;
    x.best_iteration = x.iterations;
    uut.read(x, number + 1);
  }

  numbers page(const std::string& sort, const std::string& filter = "", std::size_t limit = 100) {
    trial_order order;
    order.descending = sort.starts_with('-');
    auto key = parse_key(order.descending ? sort.substr(1) : sort);
    EXPECT_TRUE(key);
    order.by = *key;
    return page_of(uut, order, *parse_filter(filter), nullptr, {}, limit).places;
  }

  /// All pages one after the other.
  numbers paged(const std::string& sort, std::size_t limit) {
    trial_order order;
    order.descending = sort.starts_with('-');
    order.by = *parse_key(order.descending ? sort.substr(1) : sort);
    numbers result;
    std::optional<page_start> start;
    for (;;) {
      auto some = page_of(uut, order, {}, nullptr, start, limit);
      result.insert(result.end(), some.places.begin(), some.places.end());
      if (!some.more)
        return result;
      start = start_behind(uut, order, some.places.back());
    }
  }
};

TEST_F(table_test, finds_the_first_of_the_best) {
  EXPECT_FALSE(uut.best());
  add(0, "{}", "");
  EXPECT_FALSE(uut.best());
  add(1, "{}", R"({"loss":0.5})");
  add(2, "{}", R"({"loss":0.25})");
  add(3, "{}", R"({"loss":0.25})");
  add(4, "{}", R"({"loss":"nan"})");
  EXPECT_EQ(uut.best(), 2u);
  EXPECT_EQ(uut.objective(2, 0), 0.25);
  EXPECT_EQ(uut.counts()[3], 5u);
}

TEST_F(table_test, sorts_what_is_missing_last_either_way) {
  uut.begin({column_name::kind::parameter, "opt.lr"});
  add(0, R"({"opt":{"lr":3}})", "");
  add(1, R"({"opt":{"lr":"text"}})", "");
  add(2, R"({})", "");
  add(3, R"({"opt":{"lr":1}})", "");
  add(4, R"({"opt":{"lr":null}})", "");
  EXPECT_EQ(page("param:opt.lr"), (numbers{3, 0, 4, 1, 2})) << "null is a choice like others";
  EXPECT_EQ(page("-param:opt.lr"), (numbers{1, 4, 0, 3, 2}));
  EXPECT_EQ(page("trial", "param:opt.lr = null"), (numbers{4}));
  EXPECT_EQ(page("-trial", "param:opt.lr < 5"), (numbers{3, 0}));
  EXPECT_EQ(page("trial", "param:opt.lr = TEXT"), (numbers{1}));
}

TEST_F(table_test, knows_a_trial_by_the_configuration_of_its_best_report) {
  uut.begin({column_name::kind::parameter, "lr"});
  add(0, R"({"lr":1})", R"({"loss":1})");
  raw_trial x;
  x.trial = {1};
  x.config = R"({"lr":9})";
  x.best_config = R"({"lr":0.5})";
  x.best_metrics = x.metrics = R"({"loss":2})";
  uut.read(x, 2);
  EXPECT_EQ(page("param:lr"), (numbers{1, 0}));
  EXPECT_EQ(page("trial", "param:lr < 1"), (numbers{1}));
}

TEST_F(table_test, looks_up_what_the_runtime_adds_to_reports) {
  using enum column_name::kind;
  const column_name own{last, "loss"};
  const column_name of_best{best, "training_iteration"};
  const column_name of_last{last, "time_this_iter_s"};
  const trial_table::automatic look_up = [&](const raw_trial& x, const column_name& which) {
    EXPECT_NE(which, own) << "no metric of the runtime";
    return std::optional{which == of_best ? static_cast<double>(x.best_iteration) : 0.5};
  };
  for (const auto& x : {own, of_best, of_last})
    uut.begin(x);
  for (std::uint64_t i = 0; i < 3; ++i) {
    raw_trial x;
    x.trial = {i};
    x.metrics = x.best_metrics = i == 2 ? "" : R"({"loss":1})";
    x.best_iteration = i == 2 ? 0 : 7 - i;
    uut.read(x, i + 1, look_up);
  }

  EXPECT_EQ(page("metric:training_iteration"), (numbers{1, 0, 2}));
  EXPECT_EQ(page("trial", "best:training_iteration >= 7"), (numbers{0}));
  EXPECT_EQ(page("trial", "last:time_this_iter_s = 0.5"), (numbers{0, 1}));
  EXPECT_EQ(page("trial", "last:loss = 1"), (numbers{0, 1}));
}

TEST_F(table_test, prefers_what_a_report_says_itself_to_what_the_runtime_adds) {
  uut.begin({column_name::kind::best, "training_iteration"});
  raw_trial x;
  x.best_metrics = R"({"loss":1,"training_iteration":3})";
  uut.read(x, 1, [](const raw_trial&, const column_name&) { return std::optional{9.0}; });

  EXPECT_EQ(page("trial", "metric:training_iteration = 3"), (numbers{0}));
}

TEST_F(table_test, pages_through_all_in_every_order) {
  uut.begin({column_name::kind::parameter, "x"});
  for (std::uint64_t i = 0; i < 50; ++i)
    add(i,
        i % 7 == 0   ? "{}"
        : i % 5 == 0 ? R"({"x":"t)" + std::to_string(i % 3) + "\"}"
                     : R"({"x":)" + std::to_string(i % 4) + "}",
        "");
  for (const auto* sort :
       {"trial", "-trial", "param:x", "-param:x", "created", "ended", "-ended"}) {
    const auto whole = page(sort);
    ASSERT_EQ(whole.size(), 50u);
    for (std::size_t limit : {1, 3, 49, 50})
      EXPECT_EQ(paged(sort, limit), whole) << sort << " " << limit;
    EXPECT_EQ(page(sort, "failures >= 0"), whole) << sort;
  }
}

TEST_F(table_test, takes_trials_in_any_order_and_again) {
  uut.begin({column_name::kind::last, "loss"});
  add(7, "{}", R"({"loss":7})");
  add(2, "{}", R"({"loss":2})");
  add(7, "{}", R"({"loss":1})");
  ASSERT_EQ(uut.size(), 2u);
  EXPECT_EQ(uut.lines()[0].trial.number, 2u);
  EXPECT_EQ(uut.place_of({7}), 1u);
  EXPECT_FALSE(uut.place_of({3}));
  EXPECT_EQ(uut.find({column_name::kind::last, "loss"})->at(1).number, 1);
  EXPECT_EQ(uut.best(), 1u);
}

raw_result report_at(std::uint64_t iteration, std::chrono::nanoseconds cost) {
  raw_result x;
  x.iteration = iteration;
  x.time_total = cost;
  x.at = 2 * cost;
  return x;
}

TEST(curve_maker, forgets_what_a_trial_went_back_on) {
  curve_maker uut{curve_axis::iteration};
  for (auto [iteration, y] : {std::pair{1, 5.0}, {2, 4.0}, {3, 3.0}, {2, 3.5}, {3, 2.5}})
    uut.read(report_at(static_cast<std::uint64_t>(iteration), 1s), y);
  EXPECT_EQ(uut.points(), (std::vector<point>{{1, 5}, {2, 3.5}, {3, 2.5}}));
}

TEST(curve_maker, draws_over_time_and_cost) {
  curve_maker time{curve_axis::time}, cost{curve_axis::cost};
  time.read(report_at(1, 500ms), 1);
  cost.read(report_at(1, 500ms), 1);
  EXPECT_EQ(time.points(), (std::vector<point>{{1, 1}}));
  EXPECT_EQ(cost.points(), (std::vector<point>{{0.5, 1}}));
}

TEST(joined_metric, joins_the_reports_of_each_trial) {
  using kind = column_name::kind;
  const std::vector<std::pair<kind, double>> wanted{{kind::average, 6.5},
                                                    {kind::last_5, 10},
                                                    {kind::last_10, 7.5},
                                                    {kind::least, 1},
                                                    {kind::most, 12}};
  for (const auto& [what, value] : wanted) {
    joined_metric uut{{what, "loss"}};
    for (auto i = 1; i <= 12; ++i) {
      const auto text = R"({"loss":)" + std::to_string(i) + "}";
      raw_result x;
      x.trial = {3};
      x.metrics = text;
      uut.read(x);
      x.metrics = R"({"loss":"nan"})";
      uut.read(x);
    }
    EXPECT_EQ(uut.of({3}), value) << static_cast<int>(what);
    EXPECT_TRUE(std::isnan(uut.of({2})));
    EXPECT_TRUE(std::isnan(uut.of({4})));
  }
}

TEST(rungs, are_read_from_the_reasons_of_decisions) {
  raw_decision x{
      9, {3}, 4, "stop", R"({"rule":"asha","bracket":1,"rung":4,"cutoff":0.5,"value":0.25})"};
  auto found = remark_in(x);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bracket, (bracket_name{-1, 1}));
  EXPECT_EQ(found->at, 4);
  EXPECT_EQ(found->what, rung_remark::kind::stopped);
  x.reason = R"({"rule":"hyperband","band":1,"bracket":2,"rung":81,"kept":0,"value":0.25})";
  EXPECT_EQ(remark_in(x)->what, rung_remark::kind::went_on);
  EXPECT_EQ(remark_in(x)->bracket, (bracket_name{1, 2}));
  x.reason = R"({"rule":"asha","max_t":100,"why":"reached max_t"})";
  EXPECT_FALSE(remark_in(x));
  x.reason = "[";
  EXPECT_FALSE(remark_in(x));
  x.reason = R"({"rung":"nan"})";
  EXPECT_FALSE(remark_in(x));
}

/// A book of one bracket in which trial 1 waited at rungs 1 and 2, and trial 2 at rung 1.
rung_book waiting_book() {
  rung_book result;
  using enum rung_remark::kind;
  result.read({1}, {{}, 1, waits, no_number, 0.5});
  result.read({1}, {{}, 2, waits, no_number, 0.4});
  result.read({2}, {{}, 1, waits, no_number, 0.6});
  return result;
}

rung_remark::kind kind_at(const rung_book& in, double rung, std::uint64_t trial) {
  return in.rungs().at({bracket_name{}, rung}).trials.at({trial}).what;
}

TEST(rungs, of_a_bracket_in_another_band_are_others) {
  rung_book uut;
  using enum rung_remark::kind;
  uut.read({1}, {{0, 2}, 1, went_on, 1.34, 1.34});
  uut.read({9}, {{1, 2}, 1, stopped, 1.32, 1.33});

  EXPECT_EQ(uut.rungs().at({bracket_name{0, 2}, 1}).cutoff, 1.34);
  EXPECT_EQ(uut.rungs().at({bracket_name{1, 2}, 1}).trials.size(), 1u);
  EXPECT_FALSE(uut.is_one_bracket());
}

TEST(rungs, nobody_waits_who_came_to_a_higher_one) {
  using enum rung_remark::kind;
  auto uut = waiting_book();
  uut.settle([](trial_id) { return rung_fate{false, false, false, no_number}; }, no_number);
  EXPECT_EQ(kind_at(uut, 1, 1), went_on);
  EXPECT_EQ(kind_at(uut, 2, 1), waits);
  EXPECT_EQ(kind_at(uut, 1, 2), waits);
}

TEST(rungs, nobody_waits_who_came_beyond_runs_or_is_complete) {
  using enum rung_remark::kind;
  for (const auto& fate : {rung_fate{false, false, false, 3}, rung_fate{false, true, false, 2},
                           rung_fate{true, false, true, no_number}}) {
    auto uut = waiting_book();
    uut.settle([&](trial_id) { return fate; }, 9);
    EXPECT_EQ(kind_at(uut, 2, 1), went_on);
    EXPECT_EQ(kind_at(uut, 1, 2), went_on);
  }
}

TEST(rungs, nobody_waits_who_has_ended_or_at_the_end_of_the_way) {
  using enum rung_remark::kind;
  auto ended = waiting_book(), last = waiting_book();
  ended.settle([](trial_id) { return rung_fate{true, false, false, 1}; }, 9);
  EXPECT_EQ(kind_at(ended, 1, 2), stopped);
  EXPECT_EQ(kind_at(ended, 1, 1), went_on);
  last.settle([](trial_id) { return rung_fate{false, false, false, 1}; }, 2);
  EXPECT_EQ(kind_at(last, 2, 1), went_on);
  EXPECT_EQ(kind_at(last, 1, 2), waits);
}

TEST(shown_spec, keeps_what_looks_like_a_secret) {
  spec what;
  what.trainable.env = {{"COLOUR", "hunter2"}};
  what.search.options
      = {{"api-key", "hunter3"}, {"max_tokens", "512"}, {"ACCESS_TOKEN", "hunter4"}};
  const auto text = to_json(shown_spec(what));
  EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
  EXPECT_NE(text.find("512"), std::string::npos) << text;
}

raw_event node_event(sequence seq, std::string_view kind, std::string_view body) {
  return {seq, std::chrono::seconds{seq}, kind, body};
}

TEST(node_track, tells_when_nodes_were_away) {
  node_track uut;
  uut.read(node_event(1, "node_up", R"({"node":"a"})"));
  uut.read(node_event(2, "node_down", R"({"node":"a","why":"silent"})"));
  uut.read(node_event(3, "node_down", R"({"node":"a","why":"again"})"));
  uut.read(node_event(4, "placed", R"({"node":"a"})"));
  uut.read(node_event(5, "node_up", R"({"node":"a"})"));
  uut.read(node_event(6, "node_down", R"({"node":"b"})"));
  uut.read(node_event(7, "node_down", "nonsense"));

  ASSERT_EQ(uut.absences().size(), 2u);
  EXPECT_EQ(uut.absences()[0].node, "a");
  EXPECT_EQ(uut.absences()[0].from, std::chrono::seconds{2});
  EXPECT_EQ(uut.absences()[0].to, std::chrono::seconds{5});
  EXPECT_EQ(uut.absences()[0].why, "silent");
  EXPECT_EQ(uut.absences()[1].node, "b");
  EXPECT_FALSE(uut.absences()[1].to);
  EXPECT_EQ(uut.last(), 7u);
}

TEST_F(table_test, tells_what_going_on_would_have_cost) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    raw_trial x;
    x.trial = {i};
    x.status = trial_status::terminated;
    x.iterations = i == 0 ? 10 : 2;
    x.time_total = std::chrono::seconds{i == 0 ? 10 : 4};
    uut.read(x, 1);
  }
  auto found = cost_of(uut, {{{1}, true}}, 10);
  EXPECT_EQ(found.spent_s, 14);
  EXPECT_EQ(found.iterations, 12u);
  EXPECT_EQ(found.without_s, 30);
  EXPECT_EQ(found.iterations_without, 20u);
  EXPECT_FALSE(cost_of(uut, {}, 10).without_s);

  // All reports of one came as it ended.
  raw_trial again;
  again.trial = {1};
  again.status = trial_status::terminated;
  again.iterations = 2;
  again.time_total = std::chrono::seconds{4};
  const auto reason = "below the cutoff; " + std::string{had_run_its_course};
  again.reason = reason;
  uut.read(again, 2);
  EXPECT_FALSE(cost_of(uut, {{{1}, true}}, 10).without_s);
}

} // namespace
} // namespace tune::cli

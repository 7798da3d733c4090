// Charts with characters, and as SVG.
// SPDX-License-Identifier: BSD-3-Clause
#include "plot/chart.hpp"
#include "plot/make_chart.hpp"
#include "plot/svg_chart.hpp"
#include "plot/text_canvas.hpp"
#include "plot/text_chart.hpp"

#include "console/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune::cli {
namespace {

using form = chart_series::form;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts_of(const std::vector<chart_tick>& all) {
  std::vector<std::string> result;
  for (const auto& x : all)
    result.push_back(x.text);
  return result;
}

chart_axis axis_of(double low, double high) {
  chart_axis result;
  result.low = low;
  result.high = high;
  return result;
}

TEST(chart_ticks, are_round) {
  EXPECT_THAT(texts_of(ticks_of(axis_of(0.03, 0.98), 5)), ElementsAre("0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(texts_of(ticks_of(axis_of(-3, 12), 4)), ElementsAre("0", "5", "10"));
  EXPECT_THAT(texts_of(ticks_of(axis_of(0.9, 0.98), 4)),
              ElementsAre("0.90", "0.92", "0.94", "0.96", "0.98"));
}

TEST(chart_ticks, of_logarithms_are_powers_of_ten) {
  auto axis = axis_of(1e-5, 0.3);
  axis.log = true;

  EXPECT_THAT(texts_of(ticks_of(axis, 9)), ElementsAre("1e-05", "0.0001", "0.001", "0.01", "0.1"));
}

TEST(chart_ticks, of_times_are_those_of_a_clock) {
  auto axis = axis_of(0, 7200);
  axis.seconds = true;

  EXPECT_THAT(texts_of(ticks_of(axis, 4)), ElementsAre("0s", "30m00s", "1h00m", "1h30m", "2h00m"));
}

TEST(chart_ticks, do_not_split_whole_numbers) {
  auto axis = axis_of(1, 3);
  axis.whole = true;

  EXPECT_THAT(texts_of(ticks_of(axis, 10)), ElementsAre("1", "2", "3"));
}

TEST(chart, fits_what_can_be_shown) {
  chart x;
  x.y.log = true;
  x.series
      = {{form::dots, chart_ink::first, {{1, -5}, {2, 10}, {NAN, 0}, {3, HUGE_VAL}, {4, 1000}}}};

  fit(x);

  EXPECT_EQ(x.x.low, 1);
  EXPECT_EQ(x.x.high, 4);
  EXPECT_EQ(x.y.low, 10);
  EXPECT_EQ(x.y.high, 1000);
}

TEST(chart, gives_a_single_value_room) {
  chart x;
  x.series = {{form::dots, chart_ink::first, {{5, 0}}}};

  fit(x);

  EXPECT_LT(x.x.low, 5);
  EXPECT_GT(x.x.high, 5);
  EXPECT_LT(x.y.low, x.y.high);
}

TEST(chart, has_room_for_all_numbers_where_it_is_logarithmic) {
  auto axis = axis_of(1e-280, 1e120);
  axis.log = true;
  EXPECT_NEAR(place_on(axis, 1e-280), 0, 1e-9);
  EXPECT_NEAR(place_on(axis, 1e-80), 0.5, 1e-9);
  EXPECT_NEAR(place_on(axis, 1e120), 1, 1e-9);
  EXPECT_GT(ticks_of(axis, 5).size(), 2u);

  for (auto only : {1e308, 5e-324}) {
    chart x;
    x.y.log = true;
    x.series = {{form::dots, chart_ink::first, {{1, only}}}};
    fit(x);
    const auto at = place_on(x.y, only);
    EXPECT_TRUE(at >= 0 && at <= 1) << at;
  }
}

TEST(chart, keeps_few_outliers_from_stretching_it) {
  auto axis = axis_of(0, 1e6);
  std::vector<double> all(20, 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<double>(i);
  all.push_back(1e6);

  calm(axis, all);

  EXPECT_LT(axis.high, 100);
}

TEST(text_canvas, sets_dots_of_braille) {
  text_canvas uut{3, 1, true};

  uut.dot(0, 0, tint::plain);
  uut.line(2, 3, 3, 3, tint::plain);
  uut.sign(4, 0, 'x', tint::plain);
  uut.dot(100, 0, tint::plain);
  uut.dot(-1, -1, tint::plain);

  EXPECT_EQ(uut.text(0, style{}), "⠁⣀x");
}

TEST(text_canvas, does_with_ascii) {
  text_canvas uut{4, 1, false};

  uut.dot(0, 0, tint::plain);
  uut.dot(1, 1, tint::plain);
  uut.dot(2, 0, tint::plain);
  uut.dot(2, 1, tint::plain);

  EXPECT_EQ(uut.text(0, style{}), "'.:");
}

chart rising() {
  chart x;
  x.title = "title";
  x.x.label = "trial";
  x.series = {{form::line, chart_ink::first, {{0, 0}, {10, 10}}, "it"}};
  fit(x);
  return x;
}

TEST(text_chart, draws_a_line_in_ascii) {
  text_chart_look look;
  look.columns = 24;
  look.lines = 8;
  look.is_unicode = false;

  const std::vector<std::string> wanted{"title",                    //
                                        "10 |               ...''", //
                                        "   |          ...''",      //
                                        " 5 |     ..'''",           //
                                        " 0 |..'''",                //
                                        "   ++---------+--------+", //
                                        "    0         5       10", //
                                        "    . it           trial"};
  EXPECT_EQ(draw_text(rising(), look), wanted);
}

TEST(text_chart, draws_bars_beside_their_names) {
  chart x;
  x.y.names = {"few", "many"};
  x.series = {{form::spans, chart_ink::first, {{0, 0}, {2, 0}, {0, 1}, {8, 1}}}};
  fit(x);
  text_chart_look look;
  look.columns = 26;
  look.lines = 10;

  auto lines = draw_text(x, look);

  EXPECT_THAT(lines[0], HasSubstr("many │"));
  EXPECT_THAT(lines[1], HasSubstr(" few │"));
  EXPECT_GT(display_width(lines[0]), display_width(lines[1]));
  for (const auto& line : lines)
    EXPECT_LE(display_width(line), 26u) << line;
}

TEST(text_chart, lets_no_control_character_through) {
  auto x = rising();
  x.title = "a\x1b[31mb";
  x.x.label = "c\r\n";
  x.x.names = {"d\x07", "e\xc2\x9b"};
  x.notes = {"f\x1b]0;evil\x07"};
  fit(x);

  for (bool is_unicode : {true, false}) {
    text_chart_look look;
    look.is_unicode = is_unicode;
    for (const auto& line : draw_text(x, look)) {
      EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20;
      })) << line;
    }
  }
}

TEST(text_chart, fits_any_size) {
  for (std::size_t columns : {1U, 20U, 33U, 200U}) {
    for (std::size_t lines : {1U, 6U, 50U}) {
      text_chart_look look;
      look.columns = columns;
      look.lines = lines;
      for (const auto& line : draw_text(rising(), look))
        EXPECT_LE(display_width(line), std::max<std::size_t>(20, columns));
    }
  }
}

TEST(text_chart, breaks_its_legend_where_it_has_no_room) {
  auto x = rising();
  x.series.front().name = "best so far";
  x.series.push_back({form::dots, chart_ink::second, {{1, 1}}, "trials"});
  x.series.push_back({form::crosses, chart_ink::bad, {{2, 2}}, "failed"});
  x.series.push_back({form::bars, chart_ink::cut, {{3, 3}}, "ended with the experiment"});
  text_chart_look look;
  look.columns = 20;
  look.lines = 12;

  const auto narrow = draw_text(x, look);

  EXPECT_LE(narrow.size(), look.lines);
  for (const auto& line : narrow)
    EXPECT_LE(display_width(line), 20u) << line;
  const auto has = [&](const char* name) {
    return std::any_of(narrow.begin(), narrow.end(),
                       [&](const auto& line) { return line.find(name) != line.npos; });
  };
  EXPECT_TRUE(has("· best so far"));
  EXPECT_TRUE(has("· trials"));
  EXPECT_TRUE(has("x failed"));
  EXPECT_TRUE(has("| ended with"));

  look.columns = 100;
  const auto wide = draw_text(x, look);
  EXPECT_EQ(wide.size(), look.lines);
  EXPECT_THAT(wide.back(), AllOf(HasSubstr("· best so far   · trials   x failed   | ended with the "
                                           "experiment"),
                                 HasSubstr("trial")));
}

TEST(svg_chart, shows_texts_as_texts) {
  auto x = rising();
  x.title = "<script>alert(1)</script>";
  x.series[0].name = "a&b";

  auto svg = draw_svg(x, {300, 200});

  EXPECT_THAT(svg,
              AllOf(HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\""),
                    HasSubstr("&lt;script&gt;"), HasSubstr("a&amp;b"), Not(HasSubstr("<script>"))));
  EXPECT_THAT(svg, HasSubstr("<path class=\"line first\" d=\"M"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(svg_chart, leaves_out_what_has_no_place) {
  auto x = rising();
  x.series = {{form::dots, chart_ink::bad, {{1, NAN}, {2, HUGE_VAL}, {5, 5}}},
              {form::steps, chart_ink::first, {{0, 0}, {5, NAN}, {6, 3}, {7, 4}}}};

  auto svg = draw_svg(x, {});

  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
}

object history_answer() {
  return {{"metric", "loss"},
          {"mode", "min"},
          {"is_objective", true},
          {"values", value::list{value{value::list{0, 1.5, 3.0, "TERMINATED"}},
                                 value{value::list{1, 2.5, value{}, "ERRORED"}},
                                 value{value::list{2, 3.5, 1.0, "ERRORED"}}}},
          {"best_over_trials", value::list{value{value::list{0, 3.0}}, value{value::list{2, 1.0}}}},
          {"best_over_time", value::list{value{value::list{1.5, 3.0}}}}};
}

TEST(make_chart, of_a_history_tells_failed_trials_apart) {
  auto made = make_chart({}, history_answer());

  ASSERT_TRUE(made);
  ASSERT_EQ(made->series.size(), 3u);
  EXPECT_EQ(made->series[0].points.size(), 1u);
  EXPECT_EQ(made->series[1].points.size(), 2u);
  EXPECT_EQ(made->series[2].points.size(), 2u);
  EXPECT_EQ(made->x.label, "trial");
  EXPECT_LE(made->y.low, 1);
}

TEST(make_chart, of_a_history_tells_single_runs_from_configurations) {
  auto of = history_answer();
  EXPECT_EQ(make_chart({}, of)->series[0].name, "trials");
  EXPECT_TRUE(make_chart({}, of)->notes.empty());
  of.set("judge", "lower_bound");

  auto made = make_chart({}, of);

  EXPECT_EQ(made->series[0].name, "single runs");
  EXPECT_EQ(made->notes.back(), "best: the upper bound of a configuration's runs")
      << "a metric that is minimised";
  of.set("mode", "max");
  EXPECT_EQ(make_chart({}, of)->notes.back(), "best: the lower bound of a configuration's runs");
}

TEST(make_chart, of_a_history_calls_no_value_the_best_where_that_is_not_known) {
  auto of = history_answer();
  EXPECT_EQ(make_chart({}, of)->title, "Best loss so far");
  of.set("is_objective", false);

  auto low = make_chart({}, of);
  of.set("mode", "max");
  auto high = make_chart({}, of);

  EXPECT_EQ(low->title, "Lowest loss so far");
  EXPECT_EQ(low->series[2].name, "lowest so far");
  EXPECT_EQ(high->title, "Highest loss so far");
}

TEST(make_chart, of_a_history_of_another_metric_says_at_which_reports_it_is) {
  auto of = history_answer();
  of.set("at_best_of", "acc");

  EXPECT_EQ(make_chart({}, of)->notes.back(), "of each trial the value at its best acc");
}

TEST(make_chart, of_a_history_goes_over_time) {
  auto made = make_chart({chart_kind::history, chart_across::time}, history_answer());

  ASSERT_TRUE(made);
  EXPECT_TRUE(made->x.seconds);
  EXPECT_EQ(made->series[0].points[0].first, 1.5);
}

TEST(make_chart, of_rungs_names_brackets_and_bands_where_there_are_several) {
  auto bracket = [](value band, int number) {
    return value{
        object{{"band", std::move(band)},
               {"bracket", number},
               {"rungs",
                value::list{object{{"at", 3}, {"values", value::list{value::list{0, 1, true}}}}}}}};
  };
  auto names = [](value::list brackets) {
    auto made = make_chart({chart_kind::rungs},
                           {{"kind", "hyperband"}, {"brackets", std::move(brackets)}});
    return std::pair{made->x.label, made->x.names};
  };
  using found = std::pair<std::string, std::vector<std::string>>;

  EXPECT_EQ(names({bracket({}, 0)}), (found{"iterations of the rung", {"3"}}));
  EXPECT_EQ(names({bracket(0, 0), bracket(0, 1)}),
            (found{"bracket:iterations of the rung", {"0:3", "1:3"}}));
  EXPECT_EQ(names({bracket(0, 1), bracket(1, 1)}),
            (found{"band/bracket:iterations of the rung", {"0/1:3", "1/1:3"}}));
}

TEST(make_chart, of_curves_tells_who_ended_them) {
  auto curve = [](value status, value stopped, value cut_off) {
    return object{{"status", std::move(status)},
                  {"stopped_at", std::move(stopped)},
                  {"cut_off_at", std::move(cut_off)},
                  {"points", value::list{value::list{1, 3}, value::list{2, 1}}}};
  };
  auto made
      = make_chart({chart_kind::curves},
                   {{"metric", "loss"},
                    {"total", 4},
                    {"curves", value::list{curve("TERMINATED", {}, {}), curve("TERMINATED", 2, {}),
                                           curve("TERMINATED", {}, 2), curve("ERRORED", {}, {})}}});

  ASSERT_TRUE(made);
  std::vector<std::string> names;
  for (const auto& x : made->series) {
    if (x.what == chart_series::form::crosses || x.what == chart_series::form::bars)
      names.push_back(x.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"stopped by the scheduler", "ended from outside", "failed"}));
  EXPECT_NE(made->series[4].what, made->series[5].what) << "they differ without colours";
}

TEST(make_chart, says_why_there_is_nothing) {
  auto nothing = make_chart({chart_kind::curves}, {{"metric", "loss"}, {"curves", value::list{}}});
  auto alone = make_chart({chart_kind::pareto}, {{"objectives", value::list{}}});
  auto none = make_chart({chart_kind::timeline}, {});

  EXPECT_EQ(nothing.error().detail, "no trial has reported loss yet");
  EXPECT_EQ(alone.error().code, ec::unreadable);
  EXPECT_EQ(none.error().code, ec::unreadable);
}

TEST(make_chart, tells_a_front_that_constraints_leave_empty_from_missing_objectives) {
  auto made = [](value::list points) {
    return make_chart({chart_kind::pareto},
                      {{"objectives", value::list{object{{"metric", "acc"}, {"mode", "max"}},
                                                  object{{"metric", "size"}, {"mode", "min"}}}},
                       {"points", std::move(points)}});
  };
  auto point = [](value size, bool is_front, bool is_feasible) {
    return value{value::list{0, 0.5, std::move(size), is_front, is_feasible}};
  };

  auto missing = made({point(4, false, false), point(2, false, false)});
  auto some = made({point(4, false, false), point(2, false, true), point(1, true, true)});
  auto unknown = made({point({}, false, true)});

  ASSERT_TRUE(missing) << missing.error().detail;
  EXPECT_THAT(missing->notes,
              ElementsAre("no trial keeps all constraints yet: the front is empty"));
  ASSERT_EQ(missing->series.size(), 1u);
  EXPECT_EQ(missing->series[0].name, "misses a constraint");
  EXPECT_EQ(missing->series[0].points.size(), 2u);
  ASSERT_TRUE(some) << some.error().detail;
  EXPECT_THAT(some->notes, ElementsAre("1 trial on the front"));
  EXPECT_EQ(some->series.size(), 3u);
  EXPECT_EQ(some->series.back().name, "on the front");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().detail, "no trial has all objectives yet");
}

TEST(make_chart, knows_what_may_lie_across) {
  EXPECT_TRUE(can_be_across(chart_kind::history, chart_across::trial));
  EXPECT_FALSE(can_be_across(chart_kind::history, chart_across::iteration));
  EXPECT_TRUE(can_be_across(chart_kind::curves, chart_across::cost));
  EXPECT_FALSE(can_be_across(chart_kind::rungs, chart_across::time));
  EXPECT_TRUE(can_be_across(chart_kind::rungs, chart_across::automatic));
}

TEST(make_chart, of_importance_leaves_out_what_too_few_configurations_have) {
  const object known{{"name", "x"}, {"importance", 0.75}, {"more_than_chance", true}};
  const object idle{{"name", "y"}, {"importance", 0.25}, {"more_than_chance", false}};
  const object rare{{"name", "z"}, {"importance", value{}}, {"more_than_chance", value{}}};

  auto made = make_chart({chart_kind::importance},
                         {{"metric", "loss"},
                          {"method", "model"},
                          {"note", ""},
                          {"parameters", value::list{value{rare}, value{known}, value{idle}}}});

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(made->y.names, (std::vector<std::string>{"y 25 %", "x 75 %"}));
  EXPECT_EQ(made->notes,
            (std::vector<std::string>{"by model", "too few configurations have z to tell"}));
}

} // namespace
} // namespace tune::cli

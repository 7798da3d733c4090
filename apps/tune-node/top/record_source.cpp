// An experiment of this machine for the full-screen view.
// SPDX-License-Identifier: BSD-3-Clause
#include "client/client_command.hpp"
#include "console/human.hpp"
#include "console/text.hpp"
#include "plot/make_chart.hpp"
#include "plot/text_chart.hpp"
#include "serve/trial_log.hpp"
#include "top/top_fields.hpp"
#include "top/top_source.hpp"
#include "tune/io/control/control_client.hpp"
#include "view/views.hpp"

#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// The key of the API that trials are ordered by.
std::string sort_key(const top_wish& wish, const std::string& metric, bool maximise) {
  const auto falls = [&](const std::string& key, bool first) {
    return (first != wish.reversed ? "-" : "") + key;
  };
  switch (wish.order) {
    case top_order::number:
      return falls("trial", false);
    case top_order::value:
      return falls("best:" + metric, maximise);
    case top_order::iterations:
      return falls("iterations", true);
    case top_order::time:
      return falls("time_total_s", true);
    case top_order::status:
      break;
  }
  return falls("status", false);
}

class record_source : public top_source {
public:
  record_source(fs::path directory, top_look look)
      : directory_{std::move(directory)}
      , look_{look}
      , views_{directory_}
      , name_{views_.names().front()} {}

  expected<top_data> read(const top_wish& wish) override {
    auto whole = ask({}, {});
    if (const auto* fault = std::get_if<view_fault>(&whole))
      return error{ec::unreadable, fault->detail};
    const auto about = std::get<object>(std::move(whole));
    auto result = data_of(about);
    result.name = name_;
    parameters_ = parameters_in(about);
    add_rows(result, wish, about);
    add_panel(result, wish);
    return result;
  }

  std::string carry_out(client_command order) override {
    order.directory = directory_.string();
    auto what = request_of(order);
    if (!what)
      return to_text(what.error());
    auto answer = ask_control(directory_, *what);
    if (!answer)
      return answer.error().detail;
    std::string result;
    for (const auto& x : answer->told)
      result += (result.empty() ? "" : "; ") + (x.trial ? "trial " + to_text(*x.trial) : name_)
                + ": " + x.text;
    return result;
  }

private:
  fs::path directory_;
  top_look look_;
  views views_;
  std::string name_;
  /// Of the space.
  std::vector<std::string> parameters_;

  std::variant<object, view_fault> ask(std::vector<std::string> part,
                                       std::multimap<std::string, std::string> query) {
    view_request what{{"experiments", name_}, std::move(query)};
    what.path.insert(what.path.end(), part.begin(), part.end());
    auto answer = views_.answer(what);
    if (auto* fault = std::get_if<view_fault>(&answer))
      return std::move(*fault);
    return *std::get<value>(answer).as_object();
  }

  void add_rows(top_data& to, const top_wish& wish, const object& about) {
    const auto maximise = text_at(about, "mode") == "max";
    std::multimap<std::string, std::string> query{{"limit", std::to_string(most_top_rows)},
                                                  {"sort", sort_key(wish, to.metric, maximise)}};
    if (!wish.filter.empty())
      query.emplace("filter", wish.filter);
    auto found = ask({"trials"}, std::move(query));
    if (const auto* fault = std::get_if<view_fault>(&found)) {
      to.fault = fault->detail;
      return;
    }
    const auto& answer = std::get<object>(found);
    to.total = count_at(answer, "total");
    if (const auto* rows = list_at(answer, "trials")) {
      for (const auto& x : *rows)
        to.rows.push_back(row_of(*x.as_object(), to.metric, parameters_));
    }
  }

  void add_panel(top_data& to, const top_wish& wish) {
    if (wish.lines == 0)
      return;
    const auto trial = wish.trial ? wish.trial : to.best_trial;
    if (wish.panel == top_panel::history)
      return add_history(to, wish);
    if (!trial)
      return;
    to.panel_title = "trial " + to_text(*trial);
    if (wish.panel == top_panel::curve)
      add_curve(to, wish, *trial);
    else if (wish.panel == top_panel::log)
      add_log(to, wish, *trial);
    else
      add_trial(to, wish, *trial);
  }

  [[nodiscard]] text_chart_look chart_look(const top_wish& wish) const {
    return {wish.columns, wish.lines, look_.is_unicode, look_.colors};
  }

  void add_history(top_data& to, const top_wish& wish) {
    auto found = ask({"history"}, {{"points", "500"}});
    auto* answer = std::get_if<object>(&found);
    auto drawn = answer == nullptr ? expected<chart>{error{}} : make_chart({}, *answer);
    if (!drawn) {
      to.panel = {"nothing to draw yet"};
      return;
    }
    drawn->title.clear();
    to.panel = draw_text(*drawn, chart_look(wish));
  }

  /// Points of one trial's reports.
  std::vector<point> curve_of(trial_id trial, const std::string& metric) {
    auto found = ask({"trials", std::to_string(trial.number), "results"},
                     {{"metric", metric}, {"points", "400"}});
    auto* answer = std::get_if<object>(&found);
    return answer == nullptr ? std::vector<point>{} : points_in(*answer, metric);
  }

  void add_curve(top_data& to, const top_wish& wish, trial_id trial) {
    chart drawn;
    drawn.x.label = "iteration";
    drawn.x.whole = true;
    if (to.best_trial && *to.best_trial != trial)
      drawn.series.push_back({chart_series::form::line, chart_ink::faint,
                              curve_of(*to.best_trial, to.metric), "the best"});
    drawn.series.push_back({chart_series::form::line, chart_ink::first, curve_of(trial, to.metric),
                            "trial " + to_text(trial)});
    if (drawn.series.back().points.empty()) {
      to.panel = {"it has reported nothing yet"};
      return;
    }
    fit(drawn);
    to.panel = draw_text(drawn, chart_look(wish));
  }

  void add_log(top_data& to, const top_wish& wish, trial_id trial) {
    constexpr std::int64_t part = 16 * 1024;
    for (const char* stream : {"stdout", "stderr"}) {
      auto read = read_log({directory_, trial, stream}, -part, static_cast<std::size_t>(part));
      if (!read || read->text.empty())
        continue;
      to.panel_title += std::string{", "} + stream;
      to.panel = last_lines(read->text, wish.columns, wish.lines);
      return;
    }
    to.panel = {"it has printed nothing"};
  }

  void add_trial(top_data& to, const top_wish& wish, trial_id trial) {
    auto found = ask({"trials", std::to_string(trial.number)}, {});
    if (auto* answer = std::get_if<object>(&found))
      to.panel = trial_lines(*answer, wish.columns, wish.lines, parameters_);
  }
};

} // namespace

std::unique_ptr<top_source> make_record_source(fs::path directory, top_look look) {
  return std::make_unique<record_source>(std::move(directory), look);
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "whatif/whatif_output.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

double seconds(instant x) {
  return std::chrono::duration<double>(x).count();
}

value whole(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

value number_or_null(const std::optional<double>& x) {
  return x && std::isfinite(*x) ? value{*x} : value{};
}

/// One text, or two where both ways differ.
std::string between(const std::string& x, const std::string& y) {
  return x == y ? x : x + " – " + y;
}

std::string between(instant x, instant y) {
  return between(duration_text(std::min(x, y)), duration_text(std::max(x, y)));
}

std::string best_text(const std::optional<recorded_best>& x) {
  return x ? number_text(x->value) + " (" + to_text(x->trial) + ")" : "-";
}

std::string regret_text(const std::optional<double>& x) {
  return x ? number_text(*x) : "-";
}

/// The way of going on that did not come to its end; null: both did.
const replayed_run* broken_off(const alternative& x) {
  for (const auto* y : {&x.ends, &x.trains_on}) {
    if (y->status == experiment_status::interrupted)
      return y;
  }
  return nullptr;
}

std::string unknown_text(const alternative& x) {
  if (broken_off(x) != nullptr)
    return "the rest: interrupted";
  if (x.is_known())
    return "nothing";
  auto result = counted(x.unknown_trials, "trial");
  if (x.unknown_reports > 0)
    result += ", up to " + counted(x.unknown_reports, "report");
  return result;
}

void add_row(text_table& to, const whatif_comparison& all, const alternative& x,
             const std::string& name) {
  const auto& a = x.ends;
  const auto& b = x.trains_on;
  to.add({name, between(a.took, b.took), between(a.trained, b.trained),
          between(std::to_string(std::min(a.reports, b.reports)),
                  std::to_string(std::max(a.reports, b.reports))),
          between(best_text(a.best), best_text(b.best)),
          between(regret_text(regret_of(a.best, all.ran->best)),
                  regret_text(regret_of(b.best, all.ran->best))),
          unknown_text(x)},
         x.is_known() && broken_off(x) == nullptr ? tint::plain : tint::warning);
}

/// What the reader must know to take the table for what it is.
std::vector<std::string> notes_on(const whatif_comparison& x) {
  std::vector<std::string> result;
  auto is_known = [](const alternative& y) { return y.is_known(); };
  if (!std::all_of(x.all.begin(), x.all.end(), is_known)) {
    result.push_back(
        "unknown: " + counted(x.cut_short, "trial") + " of " + std::to_string(x.ran->trials.size())
        + (x.cut_short == 1 ? " has not ended by itself" : " have not ended by themselves")
        + ", and these rules would have trained some of them further");
    result.push_back("two numbers: what comes out if such a trial ends where its record ends, and "
                     "if it trains on to iteration "
                     + std::to_string(x.ran->horizon)
                     + " without being judged; the best is of recorded reports alone, and an "
                       "unknown one may be better");
  }
  if (x.ran->trained.count() == 0)
    result.emplace_back("the reports of this record took no time: the times tell nothing");
  if (std::any_of(x.all.begin(), x.all.end(), [](const auto& y) { return y.pauses; }))
    result.emplace_back("rules that pause trials: the time of saving and restoring is not counted");
  for (const auto& y : x.all) {
    const auto* broken = broken_off(y);
    const auto& end = broken != nullptr ? *broken : y.ends;
    if (end.status != experiment_status::done)
      result.push_back(y.name + ": " + std::string{to_text(end.status)}
                       + (end.why.empty() ? "" : ": " + end.why));
  }
  return result;
}

void write_table(const whatif_comparison& x, const table_look& look, std::ostream& out) {
  out << look.colors.paint(tint::strong, x.experiment) << ": "
      << counted(x.ran->trials.size(), "trial") << ", " << counted(x.ran->reports, "report")
      << ", on " << counted(x.nodes.size(), "node") << "\n";
  text_table table{{{"rules"},
                    {"time", true},
                    {"training", true, 1},
                    {"reports", true, 2},
                    {"best " + x.by.metric, true},
                    {"regret", true},
                    {"unknown", false, 3}}};
  table.add({"as it ran", duration_text(x.ran->took), duration_text(x.ran->trained),
             std::to_string(x.ran->reports), best_text(x.ran->best), x.ran->best ? "0" : "-",
             "nothing"});
  for (const auto& y : x.all)
    add_row(table, x, y, y.name);
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << "\n";
  for (const auto& note : notes_on(x))
    out << "  " << printable(note) << "\n";
}

object object_of(const replayed_run& x, const std::optional<recorded_best>& known) {
  object result;
  result.set("time_s", seconds(x.took));
  result.set("training_s", seconds(x.trained));
  result.set("trials", whole(x.trials));
  result.set("reports", whole(x.reports));
  result.set("best", x.best ? value{x.best->value} : value{});
  result.set("best_trial", x.best ? whole(x.best->trial.number) : value{});
  result.set("best_iteration", x.best ? whole(x.best->iteration) : value{});
  result.set("regret", number_or_null(regret_of(x.best, known)));
  result.set("status", to_text(x.status));
  result.set("why", x.why);
  return result;
}

object object_of(const whatif_comparison& x) {
  replayed_run ran;
  ran.took = x.ran->took;
  ran.trained = x.ran->trained;
  ran.trials = x.ran->trials.size();
  ran.reports = x.ran->reports;
  ran.best = x.ran->best;
  auto as_it_ran = object_of(ran, x.ran->best);
  as_it_ran.erase("status");
  as_it_ran.erase("why");
  value::list rules;
  for (const auto& y : x.all)
    rules.emplace_back(object{{"rules", y.name},
                              {"known", y.is_known()},
                              {"unknown_trials", whole(y.unknown_trials)},
                              {"unknown_reports", whole(y.unknown_reports)},
                              {"pauses", y.pauses},
                              {"if_trials_end", value{object_of(y.ends, x.ran->best)}},
                              {"if_they_train_on", value{object_of(y.trains_on, x.ran->best)}}});
  return object{{"experiment", x.experiment},
                {"metric", x.by.metric},
                {"mode", x.by.maximise ? "max" : "min"},
                {"nodes", whole(x.nodes.size())},
                {"last_iteration", whole(x.ran->horizon)},
                {"cut_short", whole(x.cut_short)},
                {"as_it_ran", value{std::move(as_it_ran)}},
                {"rules", value{std::move(rules)}}};
}

} // namespace

std::optional<double> regret_of(const std::optional<recorded_best>& x,
                                const std::optional<recorded_best>& known) {
  if (!x || !known || x->how.violation > known->how.violation)
    return std::nullopt;
  return std::max(0.0, known->how.score - x->how.score);
}

void write_comparison(const whatif_comparison& x, output_format format, const table_look& look,
                      std::ostream& out) {
  if (format == output_format::json)
    out << to_json(object_of(x)) << "\n";
  else
    write_table(x, look, out);
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/suggestion.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "inspect/recorded_rules.hpp"
#include "tune/core/experiment/rule_answers.hpp"
#include "tune/core/search/known.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/head_rules.hpp"

#include <cmath>
#include <exception>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

/// The source of the rules, which are made several times.
struct record {
  store_reader& from;
  experiment_row row;
  const choices& all;
  const std::atomic<bool>* ends;
};

/// Replays the log as far as `hear` wants. @param hear Has `go_by` and `apply`.
template <class Replay>
expected<void> replay(const record& what, const experiment_settings& settings, Replay& hear) {
  head_rules heads{what.row.spec, settings, what.all.stoppers};
  return for_each_event(what.from, what.row.last_seq, [&](const event& x) -> expected<bool> {
    if (what.ends != nullptr && *what.ends)
      return error{ec::timeout, "left off before its end"};
    if (const auto* head = std::get_if<on::opened>(&x.what)) {
      auto change = heads.of(*head);
      if (!change)
        return change.error();
      if (*change)
        hear.go_by(std::move(**change));
    }
    try {
      return hear.apply(x);
    } catch (const std::exception& why) { // the searcher may be a program's own
      return error{ec::user_code, rule_failed("the searcher", why.what()).why};
    }
  });
}

expected<std::optional<recorded_answer>> answer_for(const record& what, trial_id of) {
  auto rules = rules_of(what.from, what.row, what.all);
  if (!rules)
    return rules.error();
  if (!rules->rules.source->traits().learns)
    return std::optional<recorded_answer>{};
  answer_search search{rules->settings, std::move(rules->rules), of};
  if (auto done = replay(what, rules->settings, search); !done)
    return done.error();
  return search.found();
}

/// The record of a search that proposes the same and does not end: it may have been told only later
/// when to end.
expected<experiment_row> without_end(experiment_row row) {
  auto what = spec_from_json(row.spec);
  if (!what)
    return what.error();
  std::erase_if(what->search.options,
                [&](const named_text& x) { return ends_search(*what, x.name); });
  row.spec = to_json(*what);
  return row;
}

expected<explained_answer> explained(const record& what, recorded_answer answer) {
  auto row = without_end(what.row);
  if (!row)
    return row.error();
  auto rules = rules_of(what.from, *row, what.all);
  if (!rules)
    return rules.error();
  suggestion_replay asked{rules->settings, std::move(rules->rules), std::move(answer)};
  if (auto done = replay(what, rules->settings, asked); !done)
    return done.error();
  return asked.found();
}

double turned(double x, const objective& first) {
  return first.maximise ? x : -x;
}

std::string number(double x) {
  return short_text(value{x});
}

/// The place of a known result among those of `[search] known`. [>= 1]
std::uint64_t place_among_known(trial_id x) {
  return x.number - first_known_number + 1;
}

std::string nearest_text(const neighbour& x, const objective& first) {
  auto result = (is_known_result(x.trial)
                     ? "number " + std::to_string(place_among_known(x.trial)) + " of known"
                     : "trial " + to_text(x.trial))
                + ", " + number(x.distance) + " away";
  if (!std::isnan(x.correlation))
    result += " (correlation " + number(x.correlation) + ")";
  if (!std::isnan(x.value))
    result += std::string{x.is_estimate ? ", thought to come to " : ", "} + printable(first.metric)
              + " " + number(turned(x.value, first));
  return result;
}

object expected_json(const expectation& x, const objective& first) {
  return {{"metric", first.metric},
          {"mean", turned(x.mean, first)},
          {"deviation", x.deviation},
          {"best", turned(x.best, first)},
          {"expected_improvement", x.improvement}};
}

object nearest_json(const neighbour& x, const objective& first) {
  auto known = [](double y) { return std::isnan(y) ? value{} : value{y}; };
  const auto is_known = is_known_result(x.trial);
  object result{{"trial", is_known ? value{} : value{to_text(x.trial)}},
                {"distance", x.distance},
                {"correlation", known(x.correlation)},
                {"value", known(turned(x.value, first))},
                {"estimated", x.is_estimate}};
  if (is_known)
    result.set("known", static_cast<std::int64_t>(place_among_known(x.trial)));
  return result;
}

std::string parents_text(const std::vector<trial_id>& all) {
  std::string result;
  for (auto id : all)
    result += (result.empty() ? "" : ", ") + to_text(id);
  return result;
}

} // namespace

expected<suggestion_story> explain_suggestion(store_reader& from, trial_id of, const choices& all,
                                              const std::atomic<bool>* ends) {
  auto row = from.experiment();
  if (!row)
    return row.error();
  record what{from, std::move(*row), all, ends};
  auto answer = answer_for(what, of);
  suggestion_story made;
  // The searcher may be of another program, for instance: the rest of the story is still shown.
  if (!answer) {
    made.unknown = answer.error().detail;
    return made;
  }
  if (!*answer)
    return made;
  auto found = explained(what, std::move(**answer));
  if (!found) {
    made.unknown = found.error().detail;
    return made;
  }
  made.answer = std::move(*found);
  return made;
}

void write_suggestion(const suggestion_story& x, const objective& first, const style& colors,
                      std::ostream& out) {
  if (x.is_empty())
    return;
  out << colors.paint(tint::strong, "suggestion") << "\n";
  auto line = [&out](std::string_view name, const std::string& text) {
    if (!text.empty())
      out << "  " << name << ": " << text << "\n";
  };
  line("not explained", printable(x.unknown));
  if (!x.answer.what)
    return;
  const auto& why = *x.answer.what;
  line("by", printable(why.how));
  line("learnt from", why.results > 0 ? counted(why.results, "result") : std::string{});
  if (why.expected) {
    const auto& y = *why.expected;
    line("predicted", printable(first.metric) + " " + number(turned(y.mean, first)) + " ± "
                          + number(y.deviation));
    line("expected improvement", number(y.improvement) + " on " + number(turned(y.best, first)));
  }
  line("parents", parents_text(why.parents));
  line("nearest", why.nearest ? nearest_text(*why.nearest, first) : std::string{});
  line("details", facts_text(why.details));
  if (!x.answer.is_same)
    line("note", "its searcher proposes something else here: of another version or machine, or "
                 "other results were known");
}

value suggestion_json(const suggestion_story& x, const objective& first) {
  if (x.is_empty())
    return {};
  object result;
  if (!x.unknown.empty())
    result.set("unknown", x.unknown);
  if (!x.answer.what)
    return result;
  const auto& why = *x.answer.what;
  result.set("by", why.how);
  result.set("results", static_cast<std::int64_t>(why.results));
  result.set("predicted", why.expected ? value{expected_json(*why.expected, first)} : value{});
  result.set("nearest", why.nearest ? value{nearest_json(*why.nearest, first)} : value{});
  value::list parents;
  for (auto id : why.parents)
    parents.emplace_back(to_text(id));
  result.set("parents", std::move(parents));
  result.set("details", why.details);
  result.set("same", x.answer.is_same);
  return result;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/story.hpp"

#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/run_snapshot.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/costs.hpp"
#include "inspect/story_json.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/core/trial/end_reasons.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/event_codec.hpp"
#include "tune/io/store/scan_rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace tune::cli {
namespace {

void write_csv(const trial_story& x, std::ostream& out) {
  out << csv_line({"seq", "attempt", "iteration", "action", "reason"});
  for (const auto& row : x.decisions)
    out << csv_line({std::to_string(row.seq), to_text(row.attempt), std::to_string(row.iteration),
                     row.action, to_json(row.reason)});
}

std::string best_text(const trial_row& x, const std::vector<objective>& objectives) {
  std::string result;
  for (const auto& what : objectives) {
    const auto* found = x.best_metrics ? find_path(*x.best_metrics, what.metric) : nullptr;
    if (found != nullptr)
      result += (result.empty() ? "" : ", ") + printable(what.metric) + " " + short_text(*found);
  }
  return result.empty() ? result : result + " at iteration " + std::to_string(x.best_iteration);
}

/// "trials/00003/checkpoint_000002", with what it was made at unless that is the best report.
std::string checkpoint_text(const trial_story& x, const std::vector<objective>& objectives) {
  // A recorded curve has checkpoints in name only.
  if (!x.best_checkpoint || x.best_checkpoint->checkpoint.location.empty())
    return {};
  const auto& row = x.best_checkpoint->checkpoint;
  auto result = printable(row.location);
  const auto& at = x.best_checkpoint->at;
  const auto known = at == nullptr ? object{} : objectives_of(*at, objectives);
  const auto is_own = row.trial == x.trial.trial;
  const auto is_same = at == nullptr || !x.trial.best_metrics
                       || have_same_objectives(known, *x.trial.best_metrics, objectives);
  if (is_own && is_same && row.iteration == x.trial.best_iteration)
    return result;
  result += (is_own ? ", of" : ", of trial " + to_text(row.trial) + " at") + " iteration "
            + std::to_string(row.iteration);
  return known.empty() ? result : result + " with " + facts_text(known);
}

/// ", 3 failures". Whoever counts the attempts that failed is told where saves are among them.
std::string failures_of(const trial_story& x) {
  if (x.trial.failures == 0)
    return {};
  const auto failed = std::count_if(x.attempts.begin(), x.attempts.end(), [](const auto& each) {
    return each.finished && is_failure(each.how);
  });
  const auto has_saves = x.trial.failures > static_cast<std::uint64_t>(failed);
  return ", " + counted(x.trial.failures, "failure")
         + (has_saves ? ", saves for a pause or for another trial among them" : "");
}

void write_head(const trial_story& story, const std::vector<objective>& objectives,
                const table_look& look, std::ostream& out) {
  const auto& x = story.trial;
  out << look.colors.paint(tint::strong, "trial " + to_text(x.trial)) << " " << to_text(x.status)
      << " at iteration " << x.iterations << failures_of(story) << "\n";
  auto line = [&out](std::string_view name, const std::string& text) {
    if (!text.empty())
      out << "  " << name << ": " << text << "\n";
  };
  line("reason", in_one_line(x.reason));
  line("waits", printable(story.waits_for));
  line("config", config_text(x.config, story.object_parameters));
  line("origin", printable(x.origin));
  line("best",
       best_text(x, objectives)
           + (x.best_config ? " with " + config_text(*x.best_config, story.object_parameters)
                            : std::string{}));
  line("best checkpoint", checkpoint_text(story, objectives));
  line("reached", x.metrics ? metrics_text(*x.metrics) : std::string{});
  line("costs", costs_text(costs_of(story.attempts)));
}

void write_section(std::string_view name, const text_table& table, bool empty,
                   const table_look& look, std::ostream& out) {
  constexpr std::size_t indent = 2;
  if (empty)
    return;
  out << look.colors.paint(tint::strong, name) << "\n";
  auto width = look.width <= indent ? look.width : look.width - indent;
  for (const auto& line : table.lines(width, look.colors))
    out << std::string(indent, ' ') << line << "\n";
}

void write_attempts(const trial_story& x, const table_look& look, std::ostream& out) {
  text_table table{{{"attempt"},
                    {"node", false, 1},
                    {"from", false, 2},
                    {"started", true},
                    {"ended", true},
                    {"how"},
                    {"exit", true, 2, true},
                    {"cost", false, 4, true},
                    {"detail", false, 3, true}}};
  for (const auto& row : x.attempts) {
    auto from = row.from ? "checkpoint " + std::to_string(row.from.number) : "scratch";
    if (row.donor)
      from += " of " + to_text(*row.donor);
    if (row.lineage > 1)
      from += ", lineage " + std::to_string(row.lineage);
    table.add({to_text(row.attempt), row.node, from, duration_text(row.began),
               row.finished ? duration_text(*row.finished) : "-",
               row.finished ? std::string{to_text(row.how)} : "running",
               row.exit_status ? std::to_string(*row.exit_status) : "",
               costs_text(from_record(row.costs)),
               row.detail == to_text(row.how) ? "" : in_one_line(row.detail)},
              row.finished && is_failure(row.how) ? tint::bad : tint::plain);
  }
  write_section("attempts", table, x.attempts.empty(), look, out);
}

/// A reason for people: if it has a `why`, its lists and configurations are left out.
std::string reason_text(const object& reason) {
  if (!reason.contains("why"))
    return facts_text(reason);
  object shown;
  for (const auto& [name, what] : reason) {
    if (what.as_list() == nullptr && what.as_object() == nullptr)
      shown.set(name, what);
  }
  return facts_text(shown);
}

void write_decisions(const trial_story& x, const table_look& look, std::ostream& out) {
  text_table table{{{"iter", true}, {"action"}, {"why", false, 1}, {"attempt", false, 2}}};
  for (const auto& row : x.decisions)
    table.add(
        {std::to_string(row.iteration), row.action, reason_text(row.reason), to_text(row.attempt)});
  write_section("decisions", table, x.decisions.empty(), look, out);
}

void write_checkpoints(const trial_story& x, const table_look& look, std::ostream& out) {
  text_table table{{{"checkpoint", true},
                    {"iter", true},
                    {"state"},
                    {"size", true, 1},
                    {"location", false, 2},
                    {"detail", false, 3, true}}};
  for (const auto& row : x.checkpoints)
    table.add({std::to_string(row.checkpoint.number), std::to_string(row.iteration), row.state,
               bytes_text(row.bytes), row.location, in_one_line(row.detail)},
              row.state == "bad" ? tint::bad : tint::plain);
  write_section("checkpoints", table, x.checkpoints.empty(), look, out);
}

void write_exports(const trial_story& x, const table_look& look, std::ostream& out) {
  text_table table{{{"format"}, {"path", false, 1}, {"why", false, 2, true}}};
  for (const auto& row : x.exports)
    table.add({row.format, row.path.empty() ? "-" : row.path, row.why},
              row.path.empty() ? tint::bad : tint::plain);
  write_section("exports", table, x.exports.empty(), look, out);
}

void write_error(std::string_view text, const table_look& look, std::ostream& out) {
  if (text.empty())
    return;
  out << look.colors.paint(tint::strong, "error") << "\n";
  while (!text.empty()) {
    auto end = text.find('\n');
    out << "  | " << settled_line(text.substr(0, end)) << "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

/// The event with which a trial that waits to be chosen lost what it had paused with.
std::optional<sequence> when_its_pause_was_lost(const trial_story& x) {
  if (x.trial.status != trial_status::pending || x.trial.reason != lost_its_pause)
    return std::nullopt;
  const auto found = std::find_if(x.decisions.rbegin(), x.decisions.rend(),
                                  [](const decision_row& y) { return y.action == "pause_lost"; });
  return found == x.decisions.rend() ? std::nullopt : std::optional{found->seq};
}

expected<bool> is_chosen_after(store_reader& from, sequence after, trial_id which) {
  constexpr std::size_t at_once = 1000;
  auto result = false;
  for (auto more = true; more && !result;) {
    auto passed = from.scan_events(after, at_once, [&](const raw_event& x) {
      after = x.seq;
      if (result || x.kind != name_of(on::chosen{}))
        return;
      const auto body = event_from_json(x.kind, x.body);
      const auto* chosen = body ? std::get_if<on::chosen>(&*body) : nullptr;
      result = chosen != nullptr
               && std::find(chosen->what.start.begin(), chosen->what.start.end(), which)
                      != chosen->what.start.end();
    });
    if (!passed)
      return passed.error();
    more = *passed == at_once;
  }
  return result;
}

} // namespace

void leave_out_repeated(std::vector<decision_row>& all) {
  std::vector<decision_row> result;
  result.reserve(all.size());
  for (auto& x : all) {
    const auto is_same = [&x](const decision_row& y) {
      return y.action == x.action && y.trial == x.trial && y.attempt == x.attempt
             && y.iteration == x.iteration && y.reason == x.reason;
    };
    if (x.action != "stop" || std::none_of(result.begin(), result.end(), is_same))
      result.push_back(std::move(x));
  }
  all = std::move(result);
}

expected<std::optional<trial_story>> read_story(store_reader& from, trial_id which,
                                                const objective& by,
                                                const constraint_list& constraints) {
  auto trial = from.trial(which);
  if (!trial)
    return trial.error();
  if (!*trial)
    return std::optional<trial_story>{};
  auto attempts = from.attempts(which);
  if (!attempts)
    return attempts.error();
  auto decisions = from.decisions(which);
  if (!decisions)
    return decisions.error();
  leave_out_repeated(*decisions);
  auto checkpoints = from.checkpoints(which);
  if (!checkpoints)
    return checkpoints.error();
  auto exports = from.exports(which);
  if (!exports)
    return exports.error();
  auto best = best_checkpoint(from, **trial, by, constraints);
  if (!best)
    return best.error();
  return std::optional<trial_story>{trial_story{std::move(**trial), std::move(*attempts),
                                                std::move(*decisions), std::move(*checkpoints),
                                                std::move(*exports), std::move(*best)}};
}

expected<void> tell_who_holds(trial_story& of, store_reader& from, const std::string& release) {
  const auto held = from.held_trials();
  if (!held)
    return held.error();
  if (std::find(held->begin(), held->end(), of.trial.trial) != held->end())
    of.waits_for
        = (of.trial.status == trial_status::running ? "told to pause by a client, then until "
                                                    : "paused by a client, until ")
          + release;
  return {};
}

expected<void> tell_if_scheduler_holds(trial_story& of, store_reader& from) {
  const auto after = when_its_pause_was_lost(of);
  if (!after)
    return {};
  const auto was_chosen = is_chosen_after(from, *after, of.trial.trial);
  if (!was_chosen)
    return was_chosen.error();
  if (!*was_chosen)
    of.waits_for
        = "paused by the scheduler, until it is chosen again: " + std::string{lost_its_pause};
  return {};
}

void write_story(const trial_story& x, const std::vector<objective>& objectives,
                 output_format format, const table_look& look, std::ostream& out) {
  switch (format) {
    case output_format::json:
    case output_format::jsonl:
      out << story_json(x, objectives.front()) << "\n";
      return;
    case output_format::csv:
      write_csv(x, out);
      return;
    case output_format::table:
      break;
  }
  write_head(x, objectives, look, out);
  write_suggestion(x.suggestion, objectives.front(), look.colors, out);
  write_attempts(x, look, out);
  write_decisions(x, look, out);
  write_checkpoints(x, look, out);
  write_exports(x, look, out);
  write_error(x.trial.error, look, out);
}

} // namespace tune::cli

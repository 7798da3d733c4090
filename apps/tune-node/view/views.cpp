// SPDX-License-Identifier: BSD-3-Clause
#include "view/views.hpp"

#include "view/charts.hpp"
#include "view/curves.hpp"
#include "view/fields.hpp"
#include "view/overview.hpp"
#include "view/record_lists.hpp"
#include "view/rungs.hpp"
#include "view/trial_page.hpp"
#include "view/trial_rows.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace tune::cli {

namespace {

using part_view = view_answer (*)(watched_experiment&, const view_request&);

/// The resources directly below an experiment.
const std::map<std::string, part_view>& parts() {
  static const std::map<std::string, part_view> result{
      {"trials", trial_list},     {"curves", curves},
      {"history", history},       {"parallel", parallel},
      {"pareto", pareto},         {"rungs", rungs},
      {"importance", importance}, {"timeline", timeline},
      {"lineage", lineage},       {"decisions", decisions_list},
      {"nodes", nodes_list},      {"checkpoints", checkpoints_list},
      {"log", log_list}};
  return result;
}

view_answer trial_part(watched_experiment& from, const view_request& what) {
  const auto trial = trial_from(what.path[3]);
  if (!trial)
    return not_found("there is no such trial: a number is expected");
  if (what.path.size() == 4)
    return trial_page_of(from, *trial);
  if (what.path.size() == 5 && what.path[4] == "results")
    return trial_results(from, *trial, what);
  return not_found("there is no such part of a trial");
}

value problem_row(const std::string& name, const view_fault& why) {
  return object{
      {"name", name},
      {"problem", object{{"status", why.status}, {"code", why.code}, {"detail", why.detail}}}};
}

value changed_trials(const trial_table& trials, sequence since, bool& more) {
  constexpr std::size_t most = 200;
  value::list result;
  for (const auto& x : trials.lines()) {
    if (x.changed <= since)
      continue;
    more = result.size() == most;
    if (more)
      break;
    result.push_back(number_value(x.trial.number));
  }
  return result;
}

value kinds_value(const std::map<std::string, std::uint64_t>& kinds) {
  object result;
  for (const auto& [name, count] : kinds)
    result.set(name, number_value(count));
  return result;
}

} // namespace

std::variant<std::filesystem::path, view_fault>
views::directory_of(const std::string& experiment) const {
  auto found = place_.directory_of(experiment);
  if (!found)
    return fault_of(found.error());
  return std::move(*found);
}

bool views::is_readable() {
  if (!place_.is_one())
    return place_.may_be_listed();
  auto found = watch(place_.own_name());
  auto* one = std::get_if<watched_ptr>(&found);
  return one != nullptr && (*one)->look().has_value();
}

std::variant<views::watched_ptr, view_fault> views::watch(const std::string& name) {
  auto directory = place_.directory_of(name);
  if (!directory)
    return fault_of(directory.error());
  std::lock_guard lock{guard_};
  auto found = std::find_if(watched_.begin(), watched_.end(),
                            [&](const auto& x) { return x.first == name; });
  if (found == watched_.end())
    watched_.emplace_front(name, std::make_shared<watched_experiment>(std::move(*directory)));
  else
    watched_.splice(watched_.begin(), watched_, found);
  std::size_t kept = 0, count = 0;
  for (auto i = watched_.begin(); i != watched_.end();) {
    kept += i->second->trials_kept();
    const auto is_first = i == watched_.begin();
    // Whoever still uses one keeps it alive.
    i = !is_first && (kept > most_trials || ++count > most_experiments) ? watched_.erase(i)
                                                                        : std::next(i);
  }
  return watched_.front().second;
}

view_answer views::experiments(const view_request& what) {
  query_reader query{what};
  const auto limit = query.number("limit", 100, 1, 1000);
  auto cursor = query.text("cursor");
  if (query.fault())
    return *query.fault();
  std::string after;
  if (!cursor.empty()) {
    auto place = cursor_from(cursor);
    if (!place || place->size() != 1 || place->front().as_string() == nullptr)
      return bad_query("cursor: is none of this list");
    after = *place->front().as_string();
  }
  auto names = place_.names();
  names.erase(names.begin(), std::upper_bound(names.begin(), names.end(), after));
  const auto more = names.size() > limit;
  names.resize(std::min<std::size_t>(names.size(), limit));
  value::list rows;
  for (const auto& name : names) {
    auto found = watch(name);
    auto* one = std::get_if<watched_ptr>(&found);
    auto row = one == nullptr ? expected<object>{error{}} : short_overview(**one, name);
    if (row)
      rows.emplace_back(std::move(*row));
    else
      rows.push_back(
          problem_row(name, one == nullptr ? std::get<view_fault>(found) : fault_of(row.error())));
  }
  return value{object{{"experiments", std::move(rows)},
                      {"next_cursor", more ? value{cursor_text({names.back()})} : value{}}}};
}

view_answer views::part_of(watched_experiment& from, const view_request& what) {
  const auto& path = what.path;
  if (path.size() == 2) {
    auto whole = overview(from, path[1]);
    return whole ? view_answer{value{std::move(*whole)}} : view_answer{fault_of(whole.error())};
  }
  if (path.size() > 3)
    return path[2] == "trials" ? trial_part(from, what) : not_found("there is no such resource");
  auto found = parts().find(path[2]);
  return found == parts().end() ? not_found("there is no such resource")
                                : found->second(from, what);
}

view_answer views::answer(const view_request& what) {
  if (what.path.empty() || what.path.front() != "experiments")
    return not_found("there is no such resource");
  if (what.path.size() == 1)
    return experiments(what);
  auto found = watch(what.path[1]);
  if (auto* fault = std::get_if<view_fault>(&found))
    return *fault;
  return part_of(*std::get<watched_ptr>(found), what);
}

std::variant<std::optional<seen_change>, view_fault>
views::change_since(const std::string& experiment, std::int64_t record, sequence seq) {
  auto found = watch(experiment);
  if (auto* fault = std::get_if<view_fault>(&found))
    return *fault;
  auto& from = *std::get<watched_ptr>(found);
  const auto live = from.live().live;
  auto seen = from.look();
  if (!seen)
    return fault_of(seen.error());
  const auto& now = **seen;
  if ((record != 0 && record != now.head.created_ms) || seq > now.head.last_seq)
    seq = 0;
  if (now.head.last_seq <= seq)
    return std::optional<seen_change>{};
  auto best = best_value_of(from, now);
  if (!best)
    return fault_of(best.error());
  object result{{"last_seq", number_value(now.head.last_seq)}};
  result.set("created_ms", now.head.created_ms);
  bool more = false;
  result.set("counts", counts_object(now.trials));
  result.set("best", std::move(*best));
  result.set("changed", changed_trials(now.trials, seq, more));
  result.set("more_changed", more);
  result.set("kinds", kinds_value(now.kinds));
  result.set("live", live);
  result.set("status", shown_status(now.head, now.start->what, live));
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  result.set("at_ms", static_cast<std::int64_t>(
                          std::chrono::duration_cast<std::chrono::milliseconds>(clock).count()));
  return std::optional{seen_change{now.head.created_ms, now.head.last_seq, std::move(result)}};
}

} // namespace tune::cli

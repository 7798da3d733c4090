// SPDX-License-Identifier: BSD-3-Clause
#include "serve/event_numbers.hpp"

#include "tune/core/trial/end_class.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

namespace tune::cli {

namespace {

/// Reports whose decisions are awaited; older ones had none, as where a scheduler looks at some
/// iterations only.
constexpr std::size_t most_open = 10'000;

constexpr std::size_t every_row = std::numeric_limits<std::size_t>::max();

std::optional<std::int64_t> whole_in(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  const auto* number = found == nullptr ? nullptr : found->as_int();
  return number == nullptr ? std::nullopt : std::optional{*number};
}

/// The report that an answer is about: `[cause, trial]`, or an object with `cause`.
std::optional<std::int64_t> judged_report(const value& answer) {
  if (const auto* whole = answer.as_object())
    return whole_in(*whole, "cause");
  const auto* list = answer.as_list();
  const auto* number = list == nullptr || list->empty() ? nullptr : list->front().as_int();
  return number == nullptr ? std::nullopt : std::optional{*number};
}

/// What the end of an attempt makes of its trial; nothing: what follows tells.
std::optional<trial_status> status_after(std::string_view end) {
  const auto how = end_class_from(end);
  if (!how || is_failure(*how))
    return std::nullopt;
  switch (*how) {
    case end_class::finished:
      return trial_status::terminated;
    case end_class::paused:
      return trial_status::paused;
    default:
      return std::nullopt;
  }
}

} // namespace

void time_histogram::add(instant took) {
  const auto seconds = std::chrono::duration<double>(std::max(took, instant{0})).count();
  const auto place = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
  ++counts_[static_cast<std::size_t>(place)];
  sum_ += seconds;
}

std::uint64_t time_histogram::up_to(std::size_t i) const {
  std::uint64_t result = 0;
  for (std::size_t k = 0; k <= std::min(i, bounds.size()); ++k)
    result += counts_[k];
  return result;
}

void event_numbers::become(trial_id trial, trial_status status) {
  // New trials wait.
  if (trial.number >= known_.size())
    known_.resize(trial.number + 1, trial_status::pending);
  auto& now = known_[trial.number];
  if (now == status)
    return;
  ++changes_[{now, status}];
  now = status;
}

void event_numbers::take_answers(instant at, std::string_view body) {
  auto read = object_from_json(body);
  const auto* found = read ? read->find("answers") : nullptr;
  const auto* answers = found == nullptr ? nullptr : found->as_list();
  for (const auto& each : answers == nullptr ? value::list{} : *answers) {
    const auto cause = judged_report(each);
    const auto report = cause ? open_.find(static_cast<sequence>(*cause)) : open_.end();
    if (report == open_.end())
      continue;
    decisions_.add(at - report->second);
    open_.erase(report);
  }
}

void event_numbers::take(const raw_event& what) {
  if (what.kind == "decided")
    return take_answers(what.at, what.body);
  const auto is_place = what.kind == "placed";
  const auto is_retry = what.kind == "retry_asked";
  if (!is_place && !is_retry && what.kind != "ended")
    return;
  auto read = object_from_json(what.body);
  const auto number = read ? whole_in(*read, "trial") : std::nullopt;
  if (!number || *number < 0)
    return;
  const trial_id trial{static_cast<std::uint64_t>(*number)};
  const auto was_in_doubt = (is_place || is_retry) && in_doubt_.erase(trial) > 0;
  if (was_in_doubt)
    become(trial, is_place ? trial_status::paused : trial_status::terminated);
  if (is_retry)
    return become(trial, trial_status::pending);
  if (is_place) {
    // It failed before, and was tried again.
    if (trial.number < known_.size() && known_[trial.number] == trial_status::running)
      become(trial, trial_status::pending);
    return become(trial, trial_status::running);
  }
  const auto* how = read->find("how");
  if (how == nullptr || how->as_string() == nullptr)
    return;
  if (const auto next = status_after(*how->as_string()))
    become(trial, *next);
  else if (end_class_from(*how->as_string()) == end_class::stopped)
    in_doubt_.insert(trial);
}

/// Reports and all other events, in the order of the log.
expected<void> event_numbers::read_events(store_reader& from, sequence until) {
  auto reports = from.scan_results(seen_, every_row, [&](const raw_result& x) {
    if (x.seq <= until)
      open_.emplace_hint(open_.end(), x.seq, x.at);
  });
  if (!reports)
    return reports.error();
  auto events = from.scan_events(seen_, every_row, [&](const raw_event& x) {
    if (x.seq <= until)
      take(x);
  });
  if (!events)
    return events.error();
  while (open_.size() > most_open)
    open_.erase(open_.begin());
  return {};
}

/// Takes from rows what events do not tell by themselves: whether a failed trial is tried again,
/// whether one that was told to leave has paused, and what became of trials that did not run.
expected<void> event_numbers::compare(store_reader& from, sequence until) {
  in_doubt_.clear();
  auto touched = from.touched_between(seen_, until);
  if (!touched)
    return touched.error();
  auto take_row = [this](const raw_trial& x) { become(x.trial, x.status); };
  if (touched->all) {
    auto rows = from.scan_trials({0}, every_row, take_row);
    return rows ? expected<void>{} : expected<void>{rows.error()};
  }
  auto& which = touched->which;
  std::sort(which.begin(), which.end());
  which.erase(std::unique(which.begin(), which.end()), which.end());
  return from.scan_trials(which, take_row);
}

/// Takes the statuses as they are now.
expected<void> event_numbers::skip_to(store_reader& from, sequence last) {
  open_.clear();
  in_doubt_.clear();
  auto rows = from.scan_trials({0}, every_row, [this](const raw_trial& x) {
    if (x.trial.number >= known_.size())
      known_.resize(x.trial.number + 1, trial_status::pending);
    known_[x.trial.number] = x.status;
  });
  if (!rows)
    return rows.error();
  seen_ = last;
  return {};
}

expected<void> event_numbers::look(store_reader& from) {
  auto last = from.last_seq();
  if (!last)
    return last.error();
  if (*last < seen_)
    *this = {};
  if (*last == seen_)
    return {};
  if (*last - seen_ > most_at_once)
    return skip_to(from, *last);
  if (auto read = read_events(from, *last); !read)
    return read;
  if (auto compared = compare(from, *last); !compared)
    return compared;
  seen_ = *last;
  return {};
}

} // namespace tune::cli

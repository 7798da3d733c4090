// SPDX-License-Identifier: BSD-3-Clause
#include "view/trial_table.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/core/trial/automatic_metrics.hpp"
#include "tune/core/trial/end_reasons.hpp"
#include "tune/io/json_member.hpp"
#include "view/fields.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {

namespace {

std::string_view member_of(const column_name& which, const raw_trial& x) {
  using enum column_name::kind;
  const auto config = x.best_config.empty() ? x.config : x.best_config;
  const auto text = which.what == parameter ? config
                    : which.what == last    ? x.metrics
                                            : x.best_metrics;
  return json_member(text, which.name, which.what == parameter ? '.' : '/').value_or("");
}

/// Whether the runtime adds the metric of a column to the reports of a trial that has one.
bool is_added(const column_name& which, const raw_trial& x) {
  using enum column_name::kind;
  const auto has_report = which.what == last   ? !x.metrics.empty()
                          : which.what == best ? !x.best_metrics.empty()
                                               : false;
  return has_report && is_automatic(which.name);
}

/// A text up to its longest length, without half a character at its end.
std::string shortened(std::string text) {
  if (text.size() <= column::longest_text)
    return text;
  auto end = column::longest_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  text.resize(end);
  return text + "…";
}

} // namespace

std::string text_in_column(const value& x) {
  return shortened(x.as_list() != nullptr || x.as_object() != nullptr ? to_json(x) : to_text(x));
}

int column::compare(std::size_t x, std::size_t y) const {
  auto sign = [](bool less, bool more) { return less ? -1 : more ? 1 : 0; };
  const auto& a = cells_[x];
  const auto& b = cells_[y];
  if (has_value(x) != has_value(y))
    return has_value(x) ? -1 : 1;
  if ((a.text >= 0) != (b.text >= 0))
    return a.text < 0 ? -1 : 1;
  if (a.text >= 0)
    return a.text == b.text ? 0 : sign(text_of(a) < text_of(b), true);
  return sign(a.number<b.number, a.number> b.number);
}

void column::set(std::size_t place, std::string_view json, bool is_metric) {
  auto& to = cells_[place];
  to = {};
  // A parameter may be null, which is a choice like others; a metric that is null says nothing.
  if (json.empty() || (json == "null" && is_metric))
    return;
  const auto where = is_metric ? json_position::metric : json_position::plain;
  // As a metric, true and false count as 1 and 0.
  const auto is_word = !is_metric && (json == "true" || json == "false");
  if (auto number = json_number(json, where); number && !is_word) {
    to.number = *number;
    return;
  }
  auto read = json.starts_with('"') ? from_json(json) : expected<value>{value{json}};
  auto text
      = shortened(read && read->as_string() != nullptr ? *read->as_string() : std::string{json});
  auto known = places_.find(text);
  if (known == places_.end()) {
    known = places_.emplace(text, static_cast<std::int32_t>(texts_.size())).first;
    texts_.push_back(std::move(text));
  }
  to.text = known->second;
}

std::optional<std::size_t> trial_table::place_of(trial_id trial) const {
  // Trials are numbered from 0 without gaps, as long as the record is whole.
  if (trial.number < lines_.size() && lines_[trial.number].trial == trial)
    return static_cast<std::size_t>(trial.number);
  auto found = std::lower_bound(lines_.begin(), lines_.end(), trial,
                                [](const trial_line& x, trial_id y) { return x.trial < y; });
  if (found == lines_.end() || found->trial != trial)
    return std::nullopt;
  return static_cast<std::size_t>(found - lines_.begin());
}

std::size_t trial_table::make_room(trial_id trial) {
  if (auto known = place_of(trial))
    return *known;
  auto where = std::lower_bound(lines_.begin(), lines_.end(), trial,
                                [](const trial_line& x, trial_id y) { return x.trial < y; });
  const auto place = where - lines_.begin();
  lines_.insert(where, trial_line{});
  const auto width = static_cast<std::ptrdiff_t>(by_.objectives.size());
  values_.insert(values_.begin() + place * width, by_.objectives.size(), no_number);
  for (auto& [name, each] : columns_)
    each.insert(static_cast<std::size_t>(place));
  return static_cast<std::size_t>(place);
}

void trial_table::read_values(std::size_t place, const raw_trial& x, const automatic& look_up) {
  const auto width = by_.objectives.size();
  for (std::size_t i = 0; i < width; ++i) {
    const auto& metric = by_.objectives[i].metric;
    auto member = json_member(x.best_metrics, metric, '/');
    auto number = member ? json_number(*member, json_position::metric) : std::nullopt;
    if (!member && !x.best_metrics.empty() && look_up)
      number = look_up(x, {column_name::kind::best, metric});
    values_[place * width + i] = number.value_or(no_number);
  }
  auto& line = lines_[place];
  line.how = {};
  const auto first = values_[place * width];
  if (x.best_metrics.empty() || std::isnan(first))
    return;
  line.how.score = by_.objectives.front().maximise ? first : -first;
  if (by_.constraints.empty())
    return;
  auto metrics = object_from_json(x.best_metrics, json_position::metric);
  line.how.violation = total_violation(by_.constraints, metrics ? *metrics : object{});
}

void trial_table::note_run(const raw_trial& x, const merit& how) {
  if (!runs_.knows(x.trial)) {
    // Its configuration may be a draft.
    if (x.status == trial_status::pending && x.best_metrics.empty())
      return;
    auto config = object_from_json(x.config);
    runs_.add(x.trial, config ? *config : object{}, x.origin);
  }
  runs_.note(x.trial, how);
  if (is_final(x.status))
    runs_.end(x.trial);
  else
    runs_.revive(x.trial);
}

void trial_table::read(const raw_trial& x, sequence at, const automatic& look_up) {
  const auto place = make_room(x.trial);
  auto& line = lines_[place];
  const auto before = line;
  line.trial = x.trial;
  line.status = x.status;
  line.withdrawn = x.status == trial_status::terminated && x.reason.starts_with(withdrawn_reason);
  line.ran_its_course = x.reason.ends_with(had_run_its_course);
  line.said_it_is_done = x.reason.starts_with(said_it_is_done);
  line.confirms = is_confirming(x.origin);
  line.added = x.origin == client_origin;
  line.failures = x.failures;
  line.iterations = x.iterations;
  line.best_iteration = x.best_iteration;
  line.time_total = x.time_total;
  line.created = x.created;
  line.ended = x.ended;
  if (before.changed != 0)
    count(before, -1);
  count(line, 1);
  if (before.changed == 0 || !line.looks_like(before))
    line.changed = at;
  read_values(place, x, look_up);
  if (by_.repeats.is_on())
    note_run(x, lines_[place].how);
  for (auto& [name, each] : columns_) {
    if (name.is_joined())
      continue;
    const auto member = member_of(name, x);
    each.set(place, member, name.what != column_name::kind::parameter);
    if (member.empty() && look_up && is_added(name, x))
      each.set_number(place, look_up(x, name).value_or(no_number));
  }
}

std::array<std::uint64_t, trial_status_count> trial_table::counts() const {
  std::array<std::uint64_t, trial_status_count> result{};
  for (const auto& x : lines_)
    result[static_cast<std::size_t>(x.status)] += x.withdrawn ? 0 : 1;
  return result;
}

std::uint64_t trial_table::withdrawn() const {
  return static_cast<std::uint64_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const trial_line& x) { return x.withdrawn; }));
}

void trial_table::count(const trial_line& x, int by) {
  auto& kind = x.confirms ? made_.confirming : x.added ? made_.added : made_.samples;
  if (!x.withdrawn)
    kind += static_cast<std::uint64_t>(by);
}

std::optional<std::size_t> trial_table::best() const {
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const auto& how = lines_[i].how;
    if (!std::isnan(how.score) && (!result || is_better(how, lines_[*result].how)))
      result = i;
  }
  return result;
}

const column* trial_table::find(const column_name& which) const {
  auto found = columns_.find(which);
  return found == columns_.end() ? nullptr : &found->second;
}

std::vector<column_name> trial_table::columns() const {
  std::vector<column_name> result;
  for (const auto& [name, each] : columns_)
    result.push_back(name);
  return result;
}

void trial_table::begin(const column_name& which) {
  columns_[which].resize(lines_.size());
}

} // namespace tune::cli

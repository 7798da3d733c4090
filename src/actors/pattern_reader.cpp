// SPDX-License-Identifier: BSD-3-Clause
#include "pattern_reader.hpp"

#include <utility>

namespace tune {

namespace {

/// Memory of a line in addition to its bytes.
constexpr std::size_t line_cost = sizeof(std::string);
constexpr std::size_t most_waiting = 64 * 1024;
/// Most lines after a stop that are looked at, to see whether reports had piled up.
constexpr std::size_t most_counted = 64;
/// A program that has made so many reports has shown which metrics it prints.
constexpr std::uint64_t enough_reports = 2;

} // namespace

pattern_reader::pattern_reader(process_impl to, metric_pattern patterns,
                               std::weak_ptr<pattern_thread> thread)
    : process_forwarder{std::move(to)}
    , thread_{std::move(thread)}
    , patterns_{std::move(patterns)} {}

void pattern_reader::started(pid_t pid) {
  {
    std::lock_guard lock{mutex_};
    began_ = clock::now();
  }
  process_forwarder::started(pid);
  std::lock_guard lock{mutex_};
  start_told_ = true;
  bring();
}

void pattern_reader::output_read() {
  std::lock_guard lock{mutex_};
  read_at_ = clock::now();
}

line_flow pattern_reader::take(std::string_view line) {
  std::lock_guard lock{mutex_};
  if (dropped_) {
    // This line came in one read with those before the stop.
    if (lines_.size() < most_counted && !over_) {
      lines_.push_back({std::string{line}, read_at_});
      bytes_ += line.size() + line_cost;
      bring();
    }
    return line_flow::go_on;
  }
  lines_.push_back({std::string{line}, read_at_});
  bytes_ += line.size() + line_cost;
  full_ = bytes_ >= most_waiting;
  bring();
  return full_ ? line_flow::hold : line_flow::go_on;
}

line_flow pattern_reader::stdout_line(std::string_view line, bool) {
  return take(line);
}

line_flow pattern_reader::stderr_line(std::string_view line, bool) {
  return take(line);
}

void pattern_reader::files_changed() {
  std::lock_guard lock{mutex_};
  // Changed files are only read when their turn comes: one entry is enough.
  if (dropped_ || (!lines_.empty() && !lines_.back().line))
    return;
  lines_.push_back({std::nullopt, clock::now()});
  bring();
}

void pattern_reader::exited(const exit_info& how) {
  std::lock_guard lock{mutex_};
  gone_ = clock::now();
  exit_ = how;
  if (std::exchange(wants_usage_, false))
    tell(process_news::used{how.usage});
  if (how.requested)
    keep_for_count();
  else if (patterns_.reads_files() && !dropped_)
    lines_.push_back({std::nullopt, gone_});
  bring();
}

void pattern_reader::keep_for_count() {
  if (!dropped_ && lines_.size() > most_counted)
    lines_.resize(most_counted);
  dropped_ = true;
  waits_for_verdict_ = false;
}

void pattern_reader::go_on() {
  std::lock_guard lock{mutex_};
  waits_for_verdict_ = false;
  bring();
}

void pattern_reader::tell_usage() {
  std::lock_guard lock{mutex_};
  wants_usage_ = !exit_;
  if (exit_)
    tell(process_news::used{exit_->usage});
}

void pattern_reader::drop() {
  std::lock_guard lock{mutex_};
  keep_for_count();
  bring();
}

bool pattern_reader::has_work() const {
  // A file may change before it is told that the process runs; its report comes after that.
  return !over_ && !waits_for_verdict_ && (start_told_ || exit_) && (!lines_.empty() || exit_);
}

void pattern_reader::bring() {
  if (brought_ || !has_work())
    return;
  if (auto thread = thread_.lock()) {
    brought_ = true;
    thread->bring(shared_from_this());
  }
}

bool pattern_reader::stay_if_work() {
  brought_ = has_work();
  return brought_;
}

bool pattern_reader::work() {
  std::unique_lock lock{mutex_};
  if (!stay_if_work())
    return false;
  if (lines_.empty()) {
    over_ = true;
    auto whole = !exit_->requested && !dropped_;
    lock.unlock();
    end(*exit_, whole);
    return false;
  }
  auto next = std::move(lines_.front());
  lines_.pop_front();
  const auto counts_only = dropped_;
  auto has_room = false;
  if (next.line) {
    bytes_ -= next.line->size() + line_cost;
    has_room = full_ && bytes_ < most_waiting / 2;
    full_ = full_ && !has_room;
  }
  lock.unlock();
  if (has_room)
    tell(process_news::room{});
  if (counts_only)
    count(next);
  else
    read(next);
  lock.lock();
  return stay_if_work();
}

void pattern_reader::count(const item& what) {
  if (!what.line || left_reports_ || !patterns_.read(*what.line))
    return;
  left_reports_ = true;
  if (reports_.count() == 1)
    reports_.add(what.at);
}

void pattern_reader::read(const item& what) {
  auto report = what.line ? patterns_.read(*what.line) : patterns_.read_files();
  while (auto remark = patterns_.take_remark())
    tell(process_news::noticed{std::move(*remark)});
  if (!report)
    return;
  if (what.line)
    reports_.add(what.at);
  std::lock_guard lock{mutex_};
  if (!dropped_) {
    waits_for_verdict_ = true;
    ++brought_reports_;
    tell(process_news::printed{std::move(*report)});
  }
}

void pattern_reader::end(const exit_info& how, bool whole) {
  // What a program that failed had come to is no result: the attempt after it tells one.
  const auto has_failed = !how.requested && how.code != 0;
  if (whole && !has_failed) {
    if (auto last = patterns_.finish())
      tell(process_news::printed{std::move(*last)});
  }
  if ((whole && how.code == 0) || (how.requested && brought_reports_ >= enough_reports)) {
    for (auto& metric : patterns_.never_reported())
      tell(process_news::noticed{std::move(metric)});
  }
  if (auto why = patterns_.why_missing(); !why.empty())
    tell(process_news::missing{std::move(why)});
  const auto is_late = reports_.is_late(began_, gone_);
  // Its end was not asked for, and it had gone beyond the report by which it was stopped.
  const auto ended_first = !how.requested && how.code == 0 && left_reports_;
  if (is_late || (ended_first && reports_.came_together()))
    tell(process_news::came_late{gone_ - began_, is_late});
  process_forwarder::exited(how);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "run/screen.hpp"

#include "console/one_line.hpp"
#include "console/stderr_queue.hpp"
#include "console/text.hpp"
#include "inspect/failures.hpp"
#include "run/whole_output.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/trial/file_remarks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace tune::cli {

namespace {

/// Most lines of a failure: the first and last lines of stderr, the count of those between, and
/// remarks.
constexpr std::size_t failure_lines = 10;

/// Number of like failures that are shown; after these only the 10th, 100th, 1000th and so on.
constexpr std::uint64_t told_of_alike = 3;

/// Time between two looks at the experiment while no trial begins or ends: no event says that
/// trials report.
constexpr std::chrono::seconds calm_pace{1};

bool is_told(std::uint64_t count) {
  while (count % 10 == 0)
    count /= 10;
  return count == 1;
}

instant steady_now() {
  return std::chrono::duration_cast<instant>(std::chrono::steady_clock::now().time_since_epoch());
}

listed_trial listed(const cmd::trial_changed& x, const std::vector<objective>& objectives) {
  listed_trial result;
  result.trial = x.trial;
  result.status = x.status;
  result.config = x.config;
  result.reason = x.reason;
  result.failures = x.failures;
  result.iterations = x.last != nullptr ? x.last->iteration : x.iteration;
  if (x.last != nullptr) {
    result.age = x.last->time_total;
    for (const auto& what : objectives)
      result.objectives.push_back(metric(*x.last, what.metric));
  }
  return result;
}

} // namespace

screen::screen(screen_options options)
    : options_{std::move(options)}
    , lines_{options_.objectives, options_.look}
    , painter_{write_stderr, [] { return size_of_terminal(STDERR_FILENO); }} {}

void screen::trial_changed(const cmd::trial_changed& what, instant now) {
  if (!options_.redraw && !is_final(what.status))
    return;
  push({now, what});
}

void screen::attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
  push({now, failure{what, again}});
}

void screen::warned(const std::string& text) {
  if (!options_.quiet)
    say(program_name() + ": warning: " + in_one_line(text));
}

void screen::finished(const run_summary& how) {
  std::lock_guard guard{mutex_};
  over_ = how;
  changed_.notify_one();
}

void screen::say(std::string text) {
  push({instant{0}, std::move(text)});
}

void screen::stir() {
  std::lock_guard guard{mutex_};
  news_ = true;
  changed_.notify_one();
}

void screen::push(item what) {
  std::lock_guard guard{mutex_};
  news_ = true;
  if (waiting_.size() < most_waiting)
    waiting_.push_back(std::move(what));
  else
    ++left_out_;
  changed_.notify_one();
}

void screen::print(const std::string& text) {
  if (options_.redraw)
    painter_.print_above(text);
  else
    write_stderr(text + "\n");
}

void screen::show(const item& x) {
  if (const auto* text = std::get_if<std::string>(&x.what)) {
    print(*text);
  } else if (const auto* failed = std::get_if<failure>(&x.what)) {
    show(*failed, x.at);
  } else if (shows_lines()) {
    const auto& trial = std::get<cmd::trial_changed>(x.what);
    if (auto line = lines_.next_end(listed(trial, options_.objectives), x.at))
      print(*line);
  }
}

/// @returns whether a trial failed like this before, so that no full text is needed.
bool screen::tell_alike(const failure& x) {
  if (x.again)
    return false;
  auto [known, is_first]
      = alike_.try_emplace(std::string{to_text(x.what.how)} + failure_key(x.what.detail),
                           alike_failures{x.what.trial, 0});
  auto& [first, count] = known->second;
  ++count;
  if (is_first)
    return false;
  if (options_.quiet || (count > told_of_alike && !is_told(count)))
    return true;
  auto text = "trial " + to_text(x.what.trial) + " failed: the same as trial " + to_text(first);
  if (count > told_of_alike)
    text += "; " + std::to_string(count) + " trials have by now";
  print(options_.look.paint(tint::bad, text));
  return true;
}

/// Limits how many different failures are shown in full.
bool screen::may_tell_failure() {
  if (++failures_told_ == most_failures + 1 && !options_.quiet)
    print("more than " + std::to_string(most_failures)
          + " failures were told: `trials --failed` groups all");
  return failures_told_ <= most_failures;
}

void screen::show(const failure& x, instant) {
  if (tell_alike(x) || (!options_.redraw && !may_tell_failure()))
    return;
  failure_note note;
  note.trial = x.what.trial;
  // Remarks on files are shown for themselves.
  const auto detail = without_file_remarks(x.what.detail);
  const auto first_line = detail.find('\n');
  note.what = detail.substr(0, first_line);
  if (note.what.empty())
    note.what = to_text(x.what.how);
  note.next = x.again ? "will be tried again" : "given up";
  if (first_line != std::string::npos)
    note.error_output = detail.substr(first_line + 1);
  if (!x.again && !options_.directory.empty() && !note.error_output.empty())
    note.more = whole_output_command(options_.directory, x.what.trial, note.error_output);
  auto width = options_.redraw ? size_of_terminal(STDERR_FILENO).columns : 0;
  for (const auto& line : failure_block(note, failure_lines, width, options_.look))
    print(line);
}

/// Shows plain lines: new bests, and a summary every minute.
void screen::show_state(const run_snapshot& x) {
  if (x.best) {
    if (auto line = lines_.best(*x.best, x.elapsed, x.object_parameters, x.constraints))
      print(*line);
  }
  if (auto line = lines_.summary(x, x.elapsed))
    print(*line);
}

/// @param state Taken before `all` was fetched: it includes events up to its time, and its lines
///         are placed accordingly.
void screen::show(const std::deque<item>& all, const std::optional<run_snapshot>& state) {
  auto is_earlier = [&](const item& x) { return !state || x.at <= state->elapsed; };
  auto later = std::find_if_not(all.begin(), all.end(), is_earlier);
  std::for_each(all.begin(), later, [this](const item& x) { show(x); });
  if (state)
    show_state(*state);
  std::for_each(later, all.end(), [this](const item& x) { show(x); });
}

/// Makes sure that the last line about a best shows the final one.
void screen::show_last(const run_summary& how) {
  auto state = shows_lines() && options_.last ? options_.last(how) : std::nullopt;
  auto line = state && state->best ? lines_.last_best(*state->best, state->elapsed,
                                                      state->object_parameters, state->constraints)
                                   : std::nullopt;
  if (line)
    print(*line);
}

void screen::draw(instant now) {
  if (!options_.redraw || options_.quiet)
    return;
  painter_.draw(
      [this](terminal_size size) {
        auto now_shown = options_.snapshot();
        return now_shown ? status_block(*now_shown, size, options_.look)
                         : std::vector<std::string>{};
      },
      now);
}

void screen::show_rest() {
  std::unique_lock guard{mutex_};
  const auto items = std::exchange(waiting_, {});
  guard.unlock();
  for (const auto& x : items)
    show(x);
  painter_.finish();
}

run_summary screen::run() {
  lines_.begin(instant{0});
  std::unique_lock guard{mutex_};
  for (;;) {
    std::chrono::seconds pace = options_.quiet ? plain_lines::summary_time : calm_pace;
    changed_.wait_for(guard, pace, [this] { return news_ || over_; });
    auto looks = shows_lines() && !over_;
    guard.unlock();
    auto state = looks ? options_.snapshot() : std::nullopt;
    guard.lock();
    auto items = std::exchange(waiting_, {});
    auto left_out = std::exchange(left_out_, 0);
    auto over = over_;
    news_ = false;
    guard.unlock();
    show(items, state);
    if (left_out > 0 && shows_lines())
      print("… " + std::to_string(left_out) + " more changes not shown");
    if (over) {
      show_last(*over);
      painter_.finish();
      return *over;
    }
    draw(steady_now());
    guard.lock();
    // At most four times a second, however much happens.
    changed_.wait_for(guard, painter::frame_time, [this] { return over_.has_value(); });
  }
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/searcher_wait.hpp"

#include "tune/core/search/none/none.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace tune {

namespace {

bool has_live_trials(const experiment_view& x) {
  using enum trial_status;
  const auto live = {pending, running, paused};
  return std::any_of(live.begin(), live.end(),
                     [&](trial_status y) { return x.counts[static_cast<std::size_t>(y)] > 0; });
}

bool is_question(const command& x) {
  return std::holds_alternative<cmd::ask_searcher>(x.what);
}

bool has_open_question(const experiment& x) {
  const auto open = x.outstanding();
  return std::any_of(open.begin(), open.end(), is_question);
}

} // namespace

bool waits_for_clients(const experiment& x, const searcher_traits& by) {
  if (!no_search::is_idle(by) || x.last_seq() == 0 || x.is_finished())
    return false;
  const auto seen = x.view();
  if (has_live_trials(seen) || seen.searcher_done || seen.draining || seen.suspended)
    return false;
  return !has_open_question(x);
}

std::string client_wait_text() {
  return "nothing runs: the command `add` brings trials, and `stop` ends the experiment";
}

bool waits_for_searcher(const experiment& x) {
  if (has_live_trials(x.view()))
    return false;
  auto due = x.due(instant::max());
  return std::any_of(due.begin(), due.end(),
                     [](const on::ticked& y) { return y.what == on::ticked::due::ask_again; });
}

std::string searcher_wait_text(std::chrono::nanoseconds patience) {
  auto seconds = std::chrono::ceil<std::chrono::seconds>(patience).count();
  return "nothing runs: no trial is left, and the searcher has no further one yet; it is asked"
         " again for [experiment] stall_timeout"
         + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : std::string{})
         + ", then the experiment ends as stalled; a trial that is added (`add`) runs at"
           " once, and a stop (`stop`) ends it before";
}

bool waits_for_answer(const experiment& x) {
  if (x.is_finished())
    return false;
  const auto seen = x.view();
  return !has_live_trials(seen) && !seen.draining && !seen.suspended && has_open_question(x);
}

std::optional<instant> answer_watch::asked(instant now) {
  asked_at_ = now;
  awaits_ = true;
  if (looks_at_)
    return std::nullopt;
  return looks_at_ = now + answer_wait_told_after;
}

bool answer_watch::is_overdue(const experiment& x, instant now) const {
  return now >= asked_at_ + answer_wait_told_after && waits_for_answer(x);
}

answer_watch::finding answer_watch::look(const experiment& x, instant now) {
  if (!looks_at_ || now < *looks_at_)
    return {};
  looks_at_.reset();
  if (!awaits_ || x.is_finished())
    return {};
  if (!is_overdue(x, now)) {
    // Trials run on: their ends are looked for once a second.
    looks_at_ = std::max(asked_at_, now - std::chrono::seconds{1}) + answer_wait_told_after;
    return {false, looks_at_};
  }
  awaits_ = false;
  return {true, {}};
}

std::string answer_wait_text(const searcher_traits& by) {
  return std::string{"nothing runs: no trial is left, and the searcher has not answered yet; "}
         + (by.recomputes ? "it thinks its suggestion over"
                          : "its process or actor is waited for, a process until [search] "
                            "answer_timeout")
         + "; a stop (`stop`) ends the experiment before";
}

std::string wait_text(const experiment& x, const searcher_traits& by, const answer_watch& silence,
                      instant now) {
  if (waits_for_searcher(x))
    return searcher_wait_text(std::chrono::seconds{0});
  if (waits_for_clients(x, by))
    return client_wait_text();
  if (silence.is_overdue(x, now))
    return answer_wait_text(by);
  return {};
}

} // namespace tune

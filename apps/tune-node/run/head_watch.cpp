// SPDX-License-Identifier: BSD-3-Clause
#include "run/head_watch.hpp"

#include "console/text.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"

#include <utility>

namespace tune::cli {

namespace {

/// Time between two requests where only lines are shown.
constexpr std::chrono::milliseconds calm_pace{1000};

/// Shows one event as if it had happened here.
struct shower {
  screen& to;
  instant at;
  const std::string& directory;

  void operator()(const cmd::trial_changed& x) const { to.trial_changed(x, at); }
  void operator()(const feed_event::failure& x) const { to.attempt_failed(x.what, x.again, at); }
  void operator()(const feed_event::warning& x) const { to.warned(x.text); }
  void operator()(const feed_event::line& x) const {
    to.say(printable(entered_here(x.text, directory)));
  }
};

} // namespace

std::string entered_here(std::string text, const std::string& directory) {
  const auto there = " unpause " + shell_word(directory);
  const auto at = text.find(there);
  if (directory.empty() || at == text.npos || at < 2)
    return text;
  // The head may have been called by another name, in quotes perhaps.
  const auto end_of_name = at - 1;
  const auto before = text.rfind(text[end_of_name] == '\'' ? '\'' : ' ', end_of_name - 1);
  const auto begin = before == text.npos ? 0 : before + (text[end_of_name] == '\'' ? 0 : 1);
  return text.replace(begin, at + there.size() - begin,
                      program_call("unpause") + " " + experiment_words(directory));
}

head_watch::~head_watch() {
  if (thread_.joinable())
    thread_.join();
}

void head_watch::show_on(std::shared_ptr<screen> to, const submission_taken& what) {
  screen_ = std::move(to);
  key_ = what.key;
  directory_ = what.directory;
  thread_ = std::thread{[this] { follow(); }};
}

std::optional<run_snapshot> head_watch::latest() const {
  std::lock_guard guard{mutex_};
  return latest_;
}

void head_watch::follow() {
  auto pace = live_ ? std::chrono::milliseconds{painter::frame_time} : calm_pace;
  for (;;) {
    if (auto over = where_.wait_for(pace))
      return conclude(*over);
    look();
  }
}

void head_watch::look() {
  auto answer = where_.ask({client_request::kind::state, key_, shown_});
  if (!answer)
    return;
  auto told = status_update_from_json(*answer);
  if (!told)
    return;
  // The state is the one after these events.
  show(told->events);
  {
    std::lock_guard guard{mutex_};
    if (told->now)
      latest_ = std::move(told->now);
  }
  if (live_)
    screen_->stir();
}

void head_watch::show(const std::vector<feed_event>& events) {
  for (const auto& x : events) {
    if (x.number <= shown_)
      continue;
    shown_ = x.number;
    std::visit(shower{*screen_, x.at, directory_}, x.what);
  }
}

void head_watch::conclude(const experiment_fate& how) {
  if (!how.lost.empty()) {
    end_ = error{ec::unreachable, how.lost};
    return screen_->finished({});
  }
  has_rows_ = how.has_rows;
  end_ = final_status_from_json(how.text);
  if (!end_)
    return screen_->finished({});
  show(end_->events);
  screen_->finished(end_->how);
}

} // namespace tune::cli

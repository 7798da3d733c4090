// SPDX-License-Identifier: BSD-3-Clause
#include "console/announcer.hpp"

#include "console/one_line.hpp"
#include "tune/actors/service_log.hpp"
#include "tune/core/program_name.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <utility>

namespace tune::cli {

namespace {

/// The log of this process, like its stderr: there is one of each.
struct process_log {
  std::mutex mutex;
  std::shared_ptr<service_log> now;
};

process_log& log_of_process() {
  static process_log result;
  return result;
}

void tell_people(const std::string& who, const std::string& text) {
  // In one piece, since any thread may call this.
  std::cerr << program_name() + " " + who + ": " + in_one_line(text) + "\n";
}

} // namespace

void announce(const std::string& who, const std::string& text, bool quiet) {
  if (!quiet)
    tell_people(who, text);
  std::shared_ptr<service_log> to;
  {
    std::lock_guard guard{log_of_process().mutex};
    to = log_of_process().now;
  }
  if (to)
    to->write(text);
}

expected<kept_log> kept_log::open(const std::string& file, const std::string& who) {
  kept_log result;
  if (file.empty())
    return result;
  service_log::settings how;
  how.file = std::filesystem::absolute(file);
  how.who = who;
  how.on_failure = [who](const std::string& text) { tell_people(who, text); };
  auto opened = service_log::open(std::move(how));
  if (!opened)
    return opened.error();
  std::lock_guard guard{log_of_process().mutex};
  log_of_process().now = std::move(*opened);
  result.is_open_ = true;
  return result;
}

kept_log::kept_log(kept_log&& x) noexcept : is_open_{std::exchange(x.is_open_, false)} {}

kept_log::~kept_log() {
  if (!is_open_)
    return;
  std::shared_ptr<service_log> last;
  std::lock_guard guard{log_of_process().mutex};
  last.swap(log_of_process().now);
}

} // namespace tune::cli

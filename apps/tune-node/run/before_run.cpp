// SPDX-License-Identifier: BSD-3-Clause
#include "run/before_run.hpp"

#include "console/stderr_queue.hpp"
#include "console/text.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/resource/resources.hpp"

#include <unistd.h>

#include <iostream>
#include <system_error>

namespace tune::cli {

namespace {

constexpr std::chrono::seconds until_first_notice{1};
constexpr std::chrono::seconds between_notices{10};

} // namespace

reading_notices::reading_notices(bool quiet)
    : quiet_{quiet}, next_{std::chrono::steady_clock::now() + until_first_notice} {}

void reading_notices::tell(const reading_progress& how_far) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || now < next_)
    return;
  next_ = now + between_notices;
  std::cerr << program_name()
            << ": reading files for workers: " + bytes_text(how_far.done) + " of "
                   + bytes_text(how_far.all) + ", in " + printable(how_far.file.string()) + "\n";
}

before_run::before_run(bool quiet) : notices_{quiet} {
  try {
    signals_.emplace([this](int number) { signal_ = number; }, leave_at_once);
  } catch (const std::system_error&) {
    // Without a thread for them signals wait. Whoever begins the run reports the shortage.
  }
}

reading_watch before_run::reading() {
  return [this](const reading_progress& how_far) {
    notices_.tell(how_far);
    return signal_ == 0;
  };
}

std::optional<exit_code> before_run::close() {
  signals_.reset();
  if (signal_ == 0)
    return std::nullopt;
  return static_cast<exit_code>(128 + signal_);
}

std::optional<exit_code> before_run::close_for_good() {
  auto ended = close();
  if (ended)
    return ended;
  if (auto held = take_held_signal())
    signal_ = *held;
  return close();
}

void leave_at_once(int signal) {
  // Text about the signal is still written, if somebody reads it.
  settle_stderr(std::chrono::milliseconds{200});
  ::_exit(128 + signal);
}

} // namespace tune::cli

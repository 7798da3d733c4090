// SPDX-License-Identifier: BSD-3-Clause
#include "launch/down_command.hpp"

#include "console/announcer.hpp"
#include "console/human.hpp"
#include "console/text.hpp"
#include "launch/host_launch.hpp"
#include "launch/kept_cluster.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"

#include "tune/core/program_name.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_questions{100};
constexpr std::size_t cleaned_at_once = 32;

/// Ends the keeper, and with it the head and all connections. @returns a signal that came
/// meanwhile.
std::optional<int> end_keeper(const kept_cluster& where, bool is_now) {
  log_tail log{where.log()};
  auto is_told = false;
  for (auto keeper = where.keeper(); keeper; keeper = where.keeper()) {
    if (!is_told && *keeper != 0) {
      announce("down",
               is_now ? "ending it at once" : "ending what runs in order; --now ends it at once");
      is_told = ::kill(*keeper, is_now ? SIGKILL : SIGTERM) == 0;
    }
    if (const auto number = take_held_signal())
      return number;
    std::this_thread::sleep_for(between_questions);
    log.show();
  }
  log.show();
  return std::nullopt;
}

/// Looks at all machines, at once. @returns the number of those that are not clean.
std::size_t clean_all(const launch_plan& plan, const std::vector<ssh_target>& targets,
                      std::atomic<bool>& stop, std::optional<int>& signal) {
  std::vector<std::unique_ptr<host_launch>> hosts;
  for (const auto& x : targets)
    hosts.push_back(std::make_unique<host_launch>(plan, nullptr, x, std::string{}, stop));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> unclean = 0;
  std::atomic<std::size_t> left = std::min(cleaned_at_once, hosts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = left; i > 0; --i)
    threads.emplace_back([&] {
      for (auto k = next++; k < hosts.size() && !stop; k = next++) {
        if (!hosts[k]->clean())
          ++unclean;
      }
      --left;
    });
  while (left > 0) {
    if (const auto number = take_held_signal()) {
      stop = true;
      signal = number;
    }
    std::this_thread::sleep_for(between_questions);
  }
  for (auto& x : threads)
    x.join();
  return unclean;
}

} // namespace

exit_code run_down(const command_line& line, const down_request& what) {
  const auto storage = fs::absolute(what.storage).lexically_normal();
  const kept_cluster where{storage.has_filename() ? storage : storage.parent_path()};
  auto wanted = where.wanted();
  if (!wanted)
    return complain(wanted.error());
  std::error_code failed;
  if (!*wanted && !fs::exists(where.directory(), failed))
    return complain({ec::bad_option, "launch --keep has no cluster in " + where.storage().string()
                                         + ": name the storage of the cluster"});
  auto changing = where.begin_change(false);
  if (!changing)
    return complain(changing.error());
  if (const auto number = end_keeper(where, what.is_now))
    return static_cast<exit_code>(128 + *number);
  std::size_t unclean = 0;
  if (*wanted) {
    std::string text;
    for (const auto& host : (*wanted)->hosts)
      text += (text.empty() ? "" : ",") + host;
    const auto targets = ssh_targets_from(text);
    if (!targets)
      return complain(targets.error());
    launch_plan plan;
    plan.ssh = (*wanted)->ssh;
    plan.below = (*wanted)->work;
    plan.tag = (*wanted)->tag + "-";
    plan.quiet = line.quiet;
    plan.who = "down";
    std::atomic<bool> stop = false;
    std::optional<int> signal;
    unclean = clean_all(plan, *targets, stop, signal);
    if (signal)
      return static_cast<exit_code>(128 + *signal);
  }
  if (unclean > 0) {
    announce("down", counted(unclean, "machine") + " of " + std::to_string((*wanted)->hosts.size())
                         + " could not be cleaned; run the same command again to retry, or remove "
                         + where.directory().string() + " to forget the cluster");
    return exit_code::unreachable;
  }
  if (auto done = where.remove(); !done)
    return complain(done.error());
  return exit_code::done;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "head/command_runner.hpp"

#include "command/at_head.hpp"
#include "console/text.hpp"
#include "exit_code.hpp"
#include "head/submitter.hpp"
#include "tune/actors/own_thread.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/process/piped_program.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Limit of each stream in one answer. [bytes]
constexpr std::size_t output_bytes = 256 * 1024;
/// An answer comes after this time at the latest: the client waits for it.
constexpr std::chrono::seconds longest_wait{1};

/// Environment variables of the process: the options by which its client reaches the head, and the
/// columns of the client's terminal.
constexpr const char* reaching_variable = "TUNE_CLIENT_REACHES_HEAD";
constexpr const char* columns_variable = "TUNE_CLIENT_COLUMNS";
/// The head that carries the command out, by its PID.
constexpr const char* head_variable = "TUNE_CLIENT_HEAD_PID";

bool can_be_a_name(std::string_view x) {
  return !x.empty() && !x.starts_with('.') && x.find('/') == x.npos && x.find('\0') == x.npos;
}

bool has_nul(const std::string& x) {
  return x.find('\0') != x.npos;
}

struct command_runner_state {
  static inline const char* name = "tune.command_runner";

  fs::path storage;
  remote_command what;
  std::string identity;
  std::optional<piped_program> running;

  remote_output next() {
    if (!running) {
      if (auto begun = begin(); !begun)
        return refused(begun.error());
    }
    auto piece = running->read(output_bytes, longest_wait);
    remote_output result;
    result.out = std::move(piece.out);
    result.err = std::move(piece.err);
    result.has_ended = piece.status.has_value();
    result.status = piece.status.value_or(0);
    return result;
  }

  static remote_output refused(const error& why) {
    remote_output result;
    result.err = why.detail;
    result.has_ended = true;
    result.refused = static_cast<std::int32_t>(why.code);
    return result;
  }

  expected<void> begin() {
    auto how = process_for(what, storage);
    if (!how)
      return how.error();
    for (const auto& experiment : what.experiments) {
      if (auto may = may_see_and_steer(storage / experiment, identity); !may)
        return may.error();
    }
    auto started = piped_program::start(own_program(), std::move(how->words), how->environment);
    if (!started)
      return started.error();
    running = std::move(*started);
    return {};
  }
};

command_runner_actor::behavior_type
command_runner(command_runner_actor::stateful_pointer<command_runner_state> self, fs::path storage,
               remote_command what, std::string identity) {
  auto& state = state_of(self);
  state.storage = std::move(storage);
  state.what = std::move(what);
  state.identity = std::move(identity);
  return {[&state](tick_atom) { return state.next(); }};
}

} // namespace

expected<runner_process> process_for(const remote_command& what, const fs::path& storage) {
  for (const auto& experiment : what.experiments) {
    if (!can_be_a_name(experiment))
      return error{ec::unknown_name,
                   "'" + printable(experiment) + "' cannot be the name of an experiment"};
  }
  // By these words the process knows that it answers a client.
  if (what.reaching.empty())
    return error{ec::refused, "a command says by which words its client reaches the head"};
  // The whole storage shows each experiment's name and counts to all members of the cluster.
  cli::words directories;
  for (const auto& experiment : what.experiments)
    directories.push_back((storage / experiment).string());
  if (directories.empty()) {
    if (what.command != "list")
      return error{ec::refused, "name an experiment"};
    directories.push_back(storage.string());
  }
  auto words = words_at_head(what, directories);
  if (!words)
    return words.error();
  runner_process result;
  result.words = {what.program.empty() || has_nul(what.program) ? program_name() : what.program,
                  what.command};
  result.words.insert(result.words.end(), words->begin(), words->end());
  if (std::any_of(result.words.begin(), result.words.end(), has_nul) || has_nul(what.reaching))
    return error{ec::refused, "a word of a command holds a NUL byte"};
  result.environment = {std::string{reaching_variable} + "=" + what.reaching,
                        std::string{columns_variable} + "=" + std::to_string(what.columns),
                        std::string{head_variable} + "=" + std::to_string(::getpid())};
  return result;
}

void heed_client_of_runner() {
  const auto* reaching = std::getenv(reaching_variable);
  if (reaching == nullptr)
    return;
  // Nobody reads what it says once the runner's thread is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The head may have died before that.
  const auto* head = std::getenv(head_variable);
  if (head != nullptr && std::to_string(::getppid()) != head)
    ::_exit(static_cast<int>(exit_code::unreachable));
  name_experiments_at_head(reaching);
}

std::optional<int> columns_of_client() {
  const auto* text = std::getenv(columns_variable);
  if (text == nullptr)
    return std::nullopt;
  int result = 0;
  const std::string_view given{text};
  std::from_chars(given.data(), given.data() + given.size(), result);
  return std::clamp(result, 0, 10'000);
}

expected<command_runner_actor> spawn_command_runner(caf::actor_system& system, fs::path storage,
                                                    remote_command what, std::string identity) {
  return spawn_with_thread([&] {
    return system.spawn<caf::detached>(command_runner, std::move(storage), std::move(what),
                                       std::move(identity));
  });
}

} // namespace tune::cli

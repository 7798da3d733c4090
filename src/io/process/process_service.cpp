// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_service.hpp"

#include "poll_loop.hpp"
#include "tune/io/process/piped_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace tune {

namespace {

std::filesystem::path made_absolute(const std::filesystem::path& path) {
  std::error_code ignored;
  return path.is_absolute() ? path : std::filesystem::current_path(ignored) / path;
}

/// @param what An order or a turn.
template <class What>
void make_files_absolute(What& what) {
  if (!what.stdout_file.empty())
    what.stdout_file = made_absolute(what.stdout_file);
  if (!what.stderr_file.empty())
    what.stderr_file = made_absolute(what.stderr_file);
}

bool may_stand_in_environment(std::string_view name, std::string_view value) {
  return !name.empty() && name.find('=') == name.npos && name.find('\0') == name.npos
         && value.find('\0') == value.npos;
}

} // namespace

expected<std::unique_ptr<process_service>> process_service::start(process_service_options options) {
  if (options.guard_program.empty())
    options.guard_program = own_program();
  auto guard = start_guard(options.guard_program, options.guard_patience);
  if (!guard)
    return guard.error();
  auto loop = std::make_unique<poll_loop>(std::move(options), std::move(*guard));
  if (auto begun = loop->begin(); !begun)
    return begun.error();
  return std::unique_ptr<process_service>{new process_service{std::move(loop)}};
}

process_service::process_service(std::unique_ptr<poll_loop> loop) : loop_{std::move(loop)} {}

process_service::~process_service() = default;

process_handle process_service::launch(process_order what, std::shared_ptr<process_listener> who) {
  what.directory = made_absolute(what.directory);
  make_files_absolute(what);
  process_handle result{loop_->next_id()};
  loop_->post(poll_loop::launch{result.id, std::move(what), std::move(who)});
  return result;
}

void process_service::resume_reports(process_handle which) {
  loop_->post(poll_loop::resume{which, pipe_role::report});
}

void process_service::resume_output(process_handle which) {
  loop_->post(poll_loop::resume{which, pipe_role::out});
  loop_->post(poll_loop::resume{which, pipe_role::err});
}

void process_service::answer(process_handle which, std::string line) {
  loop_->post(poll_loop::answer{which, std::move(line)});
}

void process_service::end_answers(process_handle which) {
  loop_->post(poll_loop::end_answers{which});
}

void process_service::end(process_handle which, std::chrono::milliseconds grace) {
  loop_->post(poll_loop::end{which, grace});
}

void process_service::end(process_handle which) {
  loop_->post(poll_loop::end{which, std::nullopt});
}

void process_service::kill(process_handle which) {
  loop_->post(poll_loop::end{which, std::chrono::milliseconds{0}});
}

process_handle process_service::park(process_handle which,
                                     std::shared_ptr<process_listener> holder) {
  loop_->post(poll_loop::park{which, std::move(holder)});
  return next_use(which);
}

process_handle process_service::hand_on(process_handle which, process_turn how,
                                        std::shared_ptr<process_listener> who, std::string line) {
  make_files_absolute(how);
  loop_->post(poll_loop::hand_on{which, std::move(how), std::move(who), std::move(line)});
  return next_use(which);
}

pid_t process_service::guard_pid() const {
  return loop_->guard_pid();
}

std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> result;
  for (auto** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view text{*entry};
    auto name = text.substr(0, text.find('='));
    auto replaced = std::any_of(additions.begin(), additions.end(),
                                [&](const auto& addition) { return addition.first == name; });
    if (!replaced && !name.starts_with("TUNE_TRIAL_"))
      result.emplace_back(text);
  }
  for (auto addition = additions.begin(); addition != additions.end(); ++addition) {
    auto later = std::any_of(std::next(addition), additions.end(),
                             [&](const auto& other) { return other.first == addition->first; });
    if (!later && may_stand_in_environment(addition->first, addition->second))
      result.push_back(addition->first + "=" + addition->second);
  }
  return result;
}

} // namespace tune

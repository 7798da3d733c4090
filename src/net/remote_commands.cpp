// SPDX-License-Identifier: BSD-3-Clause
#include "remote_commands.hpp"

#include <algorithm>

namespace tune {

namespace {

caf::node_id node_of(const follower_actor& x) {
  return caf::actor_cast<caf::strong_actor_ptr>(x)->node();
}

} // namespace

remote_commands::~remote_commands() {
  for (const auto& [which, x] : running_)
    caf::anon_send_exit(x.runner, caf::exit_reason::user_shutdown);
}

expected<void> remote_commands::has_room_for(const remote_command& what, const follower_actor& who,
                                             const std::string& identity) const {
  const auto count = [&](auto is_counted) {
    return static_cast<std::size_t>(std::count_if(running_.begin(), running_.end(), is_counted));
  };
  const auto lasts = is_lasting(what);
  const auto& most = lasts ? of_lasting : of_short;
  const auto all = count([&](const auto& x) { return x.second.lasts == lasts; });
  const auto own = count(
      [&](const auto& x) { return x.second.lasts == lasts && x.second.identity == identity; });
  const auto here = count([&](const auto& x) { return node_of(x.first.first) == node_of(who); });
  if (all < most.of_all && own < most.of_one && here < most_of_connection)
    return {};
  const auto kind = lasts ? std::string{" commands that wait"} : std::string{" commands"};
  return error{ec::unreachable, "the head carries out " + std::to_string(all) + kind
                                    + " of clients just now, of them " + std::to_string(own)
                                    + " of this certificate; try again in a moment"};
}

void remote_commands::begin(const command_wanted& what, const follower_actor& who,
                            const std::string& identity) {
  const key which{who, what.number};
  auto command = remote_command_from_json(what.text);
  if (!command)
    return refuse(which, command.error());
  if (!hire_)
    return refuse(which, {ec::refused, "this head carries out no commands"});
  if (running_.contains(which))
    return refuse(which, {ec::protocol, "a command of this number runs already"});
  if (auto room = has_room_for(*command, who, identity); !room)
    return refuse(which, room.error());
  const auto lasts = is_lasting(*command);
  auto runner = hire_(std::move(*command), identity);
  if (!runner)
    return refuse(which,
                  {ec::unreachable, "the head cannot carry it out now: " + runner.error().detail});
  running_.emplace(which, running{*runner, identity, lasts});
  ask(which, *runner);
}

void remote_commands::go_on(const output_wanted& what, const follower_actor& who) {
  const key which{who, what.number};
  auto known = running_.find(which);
  if (known == running_.end())
    return refuse(which, {ec::protocol, "no command of this number runs"});
  ask(which, known->second.runner);
}

void remote_commands::ask(const key& which, const command_runner_actor& runner) {
  // The runner lives in this process and answers within a second; CAF answers if it is gone.
  request(self_, runner, caf::infinite, tick_atom_v)
      .then([this, which](remote_output& what) { answer(which, std::move(what)); },
            [this, which](const caf::error& why) {
              refuse(which, {ec::internal, render(self_->system(), why)});
            });
}

void remote_commands::answer(const key& which, remote_output what) {
  const auto has_ended = what.has_ended;
  what.number = which.second;
  send(self_, which.first, std::move(what));
  if (!has_ended)
    return;
  if (auto gone = running_.extract(which))
    caf::anon_send_exit(gone.mapped().runner, caf::exit_reason::user_shutdown);
  ended_();
}

void remote_commands::refuse(const key& which, const error& why) {
  remote_output result;
  result.err = why.detail;
  result.has_ended = true;
  result.refused = static_cast<std::int32_t>(why.code);
  answer(which, std::move(result));
}

void remote_commands::forget(const follower_actor& who) {
  std::erase_if(running_, [&](const auto& x) {
    if (x.first.first != who)
      return false;
    caf::anon_send_exit(x.second.runner, caf::exit_reason::user_shutdown);
    return true;
  });
  ended_();
}

} // namespace tune

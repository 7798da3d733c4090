// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/steering.hpp"

#include "steering_link.hpp"

#include <future>
#include <utility>

namespace tune {

namespace {

using op = control_request::op;

/// Longest wait for an answer, the same as for clients of the socket.
constexpr std::chrono::seconds patience{60};

error nobody() {
  return {ec::unreachable, "no experiment is under way"};
}

control_request about(op what, std::optional<trial_id> trial = {}) {
  control_request result;
  result.what = what;
  if (trial)
    result.trials = {*trial};
  return result;
}

expected<control_answer> await(std::future<expected<control_answer>> answer) {
  if (answer.wait_for(patience) != std::future_status::ready)
    return error{ec::timeout, "the experiment does not answer"};
  try {
    return answer.get();
  } catch (const std::future_error&) {
    return error{ec::unreachable, "the experiment ended before it could answer"};
  }
}

expected<bool> room_for(const steering_link& link, const std::optional<resource_request>& what) {
  std::optional<bool> answer;
  if (!link.with_experiment_actors([&](experiment_actors& x) { answer = x.has_room(what); }))
    return nobody();
  if (!answer)
    return error{ec::timeout, "the cluster does not answer"};
  return *answer;
}

} // namespace

expected<control_answer> steering::order(const control_request& what) {
  // Converted as a client would send it, so that its limits are checked in one place.
  auto checked = control_request_from_json(to_json(what));
  if (!checked)
    return checked.error();
  auto told = std::make_shared<std::promise<expected<control_answer>>>();
  auto answer = told->get_future();
  auto asked = link_->with_experiment_actors([&](experiment_actors& x) {
    x.ask(*checked,
          [told = std::move(told)](expected<control_answer> y) { told->set_value(std::move(y)); });
  });
  return asked ? await(std::move(answer)) : nobody();
}

expected<order_verdict> steering::one(const control_request& what) {
  auto told = order(what);
  if (!told)
    return told.error();
  if (told->told.size() != 1)
    return error{ec::internal, "the experiment answered about " + std::to_string(told->told.size())
                                   + " wishes instead of one"};
  return std::move(told->told.front());
}

expected<order_verdict> steering::add(object config, std::string key) {
  auto wish = about(op::add);
  wish.config = std::move(config);
  wish.key = std::move(key);
  return one(wish);
}

expected<order_verdict> steering::stop(trial_id trial) {
  return one(about(op::stop, trial));
}

expected<order_verdict> steering::stop() {
  return one(about(op::stop));
}

expected<order_verdict> steering::pause(trial_id trial) {
  return one(about(op::pause, trial));
}

expected<order_verdict> steering::pause() {
  return one(about(op::pause));
}

expected<order_verdict> steering::unpause(trial_id trial) {
  return one(about(op::unpause, trial));
}

expected<order_verdict> steering::unpause() {
  return one(about(op::unpause));
}

expected<order_verdict> steering::retry(trial_id trial, bool from_scratch) {
  auto wish = about(op::retry, trial);
  wish.from_scratch = from_scratch;
  return one(wish);
}

expected<std::vector<trial_result>> steering::trials() const {
  auto directory = link_->directory();
  if (directory.empty())
    return nobody();
  auto grid = read_result_grid(directory);
  if (!grid)
    return grid.error();
  return grid->trials();
}

expected<bool> steering::has_resources() const {
  return room_for(*link_, std::nullopt);
}

expected<bool> steering::has_resources(const resource_request& what) const {
  return room_for(*link_, what);
}

} // namespace tune

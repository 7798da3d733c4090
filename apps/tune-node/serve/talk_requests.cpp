// SPDX-License-Identifier: BSD-3-Clause
#include "serve/talk_requests.hpp"

#include "serve/record_orders.hpp"
#include "tune/core/text.hpp"
#include "tune/http/problem.hpp"
#include "tune/io/json.hpp"
#include "tune/io/loose_json.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tune::cli {

namespace {

using op = control_request::op;
using verdict = order_verdict::kind;

/// What `tell` takes, with the members of each.
const std::map<std::string, std::set<std::string>>& tellings() {
  static const std::map<std::string, std::set<std::string>> all{
      {"report", {"op", "trial", "attempt", "metrics", "checkpoint"}},
      {"complete", {"op", "trial", "attempt", "metrics", "checkpoint"}},
      {"error", {"op", "trial", "attempt", "message", "restore"}},
      {"stop", {"op", "trial", "outcome"}},
      {"add", {"op", "config", "key"}},
      {"alive", {"op", "running"}},
      {"best", {"op"}},
      {"status", {"op"}}};
  return all;
}

std::string names_of_tellings() {
  std::string result;
  for (const auto& [name, members] : tellings())
    result += (result.empty() ? "" : ", ") + name;
  return result;
}

expected<void> check_members(const object& body, const std::set<std::string>& known) {
  for (const auto& [name, x] : body)
    if (known.count(name) == 0)
      return error{ec::bad_option, "the body: there is no " + name + " here"};
  return {};
}

/// Whoever speaks of a trial that somebody else may run by now says which attempt is meant.
expected<void> check_attempt(const object& body, const std::string& what) {
  if (body.find("attempt") == nullptr)
    return error{ec::bad_option, "attempt is missing: the one with which ask gave the trial"};
  if (what != "report")
    return {};
  const auto* metrics = body.find("metrics");
  const auto* own = metrics == nullptr ? nullptr : metrics->as_object();
  if (own != nullptr && own->find("training_iteration") == nullptr)
    return error{ec::bad_option, "metrics: training_iteration is missing: by it a report counts"
                                 " once, even if it is sent again"};
  return {};
}

/// Checks that "running" names trials, also for an experiment that nobody converses about.
expected<void> check_running(const object& body) {
  const auto* given = body.find("running");
  if (given == nullptr)
    return {};
  const auto is_trial = [](const value& x) { return x.as_string() != nullptr; };
  const auto* all = given->as_list();
  if (all == nullptr || !std::all_of(all->begin(), all->end(), is_trial))
    return error{ec::bad_option, "running has to be a list of trials, each as a text"};
  return {};
}

expected<object> telling_from(object body) {
  const auto* named = body.find("op");
  const auto* what = named == nullptr ? nullptr : named->as_string();
  const auto known = what == nullptr ? tellings().end() : tellings().find(*what);
  if (known == tellings().end())
    return error{ec::bad_option, "op has to be one of " + names_of_tellings()};
  if (auto done = check_members(body, known->second); !done)
    return done.error();
  if (auto done = check_running(body); !done)
    return done.error();
  if (known->second.count("attempt") > 0) {
    if (auto done = check_attempt(body, known->first); !done)
      return done.error();
  }
  return body;
}

control_answer told(std::optional<trial_id> trial, verdict what, std::string text) {
  order_verdict one;
  one.trial = trial;
  one.what = what;
  one.text = std::move(text);
  control_answer result;
  result.told.push_back(std::move(one));
  return result;
}

} // namespace

expected<object> talk_request_from(const http::request& what, const http::route& where) {
  json_limits limits;
  limits.unique_names = true;
  auto body = what.body.empty() ? expected<object>{object{}}
                                : object_from_loose_json(what.body, json_position::plain, limits);
  if (!body)
    return error{body.error().code, "the body: " + body.error().detail};
  if (where.id != "ask") {
    auto result = telling_from(std::move(*body));
    // A head keeps it in the record: it counts also after this process is gone.
    const auto key = what.headers.only("Idempotency-Key");
    if (result && key && *result->find("op") == value{"add"} && !result->contains("key"))
      result->set("key", std::string{*key});
    return result;
  }
  if (auto done = check_members(*body, {"running"}); !done)
    return done.error();
  if (auto done = check_running(*body); !done)
    return done.error();
  body->set("op", "ask");
  return body;
}

http::response talk_response(const object& answer) {
  const auto* what = answer.find("op");
  const auto* fault = answer.find("error");
  if (what != nullptr && *what == value{"fault"} && fault != nullptr)
    return to_response(http::problem{422, "fault", to_text(*fault)});
  return http::json_response(to_json(answer));
}

http::response talk_requests::answer(const http::request& what, const http::route& where) {
  auto request = talk_request_from(what, where);
  if (!request)
    return to_response(http::problem_of(request.error()));
  const auto& name = what.names.at("experiment");
  if (!leads(name))
    return to_response(http::problem{409, "not_asked",
                                     "this program runs the trials of " + name
                                         + ", or nobody does; clients run those of tune-node"
                                           " ask-tell FILE --http HOST:PORT"});
  auto answered = talk_->answer(*request);
  return answered ? talk_response(*answered) : to_response(http::problem_of(answered.error()));
}

http::response talk_requests::carry_out(const control_request& wish) {
  object request;
  if (wish.what == op::add) {
    request = {{"op", "add"}, {"config", wish.config}, {"outcome", true}};
    if (!wish.key.empty())
      request.set("key", wish.key);
  } else if (wish.what == op::stop && wish.trials.size() == 1) {
    request = {{"op", "stop"}, {"trial", to_text(wish.trials.front())}, {"outcome", true}};
  } else {
    return told_response(told(std::nullopt, verdict::refused,
                              "clients run the trials of this experiment: it can be added to, and"
                              " trials be stopped; the rest is theirs"));
  }
  auto answered = talk_->answer(request);
  if (!answered)
    return to_response(http::problem_of(answered.error()));
  const auto* outcome = answered->find("outcome");
  const auto is = [outcome](std::string_view x) { return outcome && *outcome == value{x}; };
  if (const auto* fault = answered->find("error")) {
    if (is("unknown"))
      return told_response(told(wish.trials.front(), verdict::unknown, to_text(*fault)));
    if (is("refused"))
      return told_response(told(std::nullopt, verdict::refused, to_text(*fault)));
    return talk_response(*answered);
  }
  const auto* added = answered->find("trial");
  const auto trial = wish.trials.empty() ? trial_in_path(to_text(*added)) : wish.trials.front();
  return told_response(told(trial, is("needless") ? verdict::needless : verdict::taken,
                            wish.what == op::add
                                ? (is("needless") ? "a trial was added by this key before"
                                                  : "it waits for its turn: ask gives it")
                            : is("needless") ? "it has ended already"
                                             : "it is over"));
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "serve/record_orders.hpp"

#include "client/advice_at_rest.hpp"
#include "tune/io/control/control_client.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

using verdict = order_verdict::kind;
using op = control_request::op;

/// Longest wait for a head.
constexpr std::chrono::seconds patience{30};

op op_of(const std::string& route_id) {
  if (route_id == "add")
    return op::add;
  if (route_id.ends_with("retry"))
    return op::retry;
  if (route_id.ends_with("unpause"))
    return op::unpause;
  return route_id.ends_with("pause") ? op::pause : op::stop;
}

/// The body, an object; empty: there is none.
expected<object> body_of(const http::request& what, const std::set<std::string>& known) {
  if (what.body.empty())
    return object{};
  json_limits limits;
  limits.unique_names = true;
  auto body = object_from_json(what.body, json_position::plain, limits);
  if (!body)
    return error{body.error().code, "the body: " + body.error().detail};
  for (const auto& [name, x] : *body)
    if (known.count(name) == 0)
      return error{ec::bad_option, "the body: there is no " + name + " here"};
  return body;
}

expected<void> read_addition(const object& body, control_request& to) {
  const auto* config = body.find("config");
  if (config == nullptr || config->as_object() == nullptr)
    return error{ec::bad_option, "config has to be an object: the configuration to try"};
  to.config = *config->as_object();
  const auto* key = body.find("key");
  if (key == nullptr)
    return {};
  if (key->as_string() == nullptr || key->as_string()->size() > longest_control_key)
    return error{ec::bad_option, "key has to be a text of at most "
                                     + std::to_string(longest_control_key) + " bytes"};
  to.key = *key->as_string();
  return {};
}

expected<void> read_scratch(const object& body, control_request& to) {
  const auto* given = body.find("from_scratch");
  if (given == nullptr)
    return {};
  if (given->as_bool() == nullptr)
    return error{ec::bad_option, "from_scratch is either true or false"};
  to.from_scratch = *given->as_bool();
  return {};
}

/// Names the requests that do what was asked for or, where no head takes these, the commands, as
/// those of the terminal do.
http::response not_live(const error& why, const control_request& wish, const fs::path& directory,
                        bool takes_experiments) {
  auto told = takes_experiments ? with_requests_at_rest(why, wish, directory)
                                : with_advice_at_rest(why, wish, directory);
  return to_response(told.code == ec::unreachable
                         ? http::problem{409, "not_live", std::move(told.detail)}
                         : http::problem_of(told));
}

} // namespace

std::optional<trial_id> trial_in_path(std::string_view text) {
  constexpr std::size_t most_digits = 18;
  trial_id result;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result.number);
  const auto fits = !text.empty() && text.size() <= most_digits && read.ec == std::errc{}
                    && read.ptr == end && text.front() != '-';
  return fits ? std::optional{result} : std::nullopt;
}

expected<control_request> order_from(const http::request& what, const http::route& where) {
  control_request result;
  result.what = op_of(where.id);
  if (const auto named = what.names.find("trial"); named != what.names.end()) {
    const auto trial = trial_in_path(named->second);
    if (!trial)
      return error{ec::unknown_name, "there is no such trial"};
    result.trials.push_back(*trial);
  }
  const auto is_add = result.what == op::add;
  const auto known = is_add                     ? std::set<std::string>{"config", "key"}
                     : result.what == op::retry ? std::set<std::string>{"from_scratch"}
                                                : std::set<std::string>{};
  auto body = body_of(what, known);
  if (!body)
    return body.error();
  auto done = is_add ? read_addition(*body, result) : read_scratch(*body, result);
  if (!done)
    return done.error();
  // A head keeps it in the record: it counts also after this process is gone.
  if (const auto key = what.headers.only("Idempotency-Key"); is_add && result.key.empty() && key)
    result.key = *key;
  return result;
}

http::response told_response(const control_answer& answer) {
  if (answer.told.size() == 1) {
    const auto& only = answer.told.front();
    const auto status = only.what == verdict::unknown   ? 404U
                        : only.what == verdict::refused ? 409U
                                                        : 0U;
    if (status != 0)
      return to_response(http::problem{status, std::string{to_text(only.what)}, only.text});
  }
  value::list told;
  for (const auto& x : answer.told)
    told.emplace_back(object{{"trial", x.trial ? value{to_text(*x.trial)} : value{}},
                             {"outcome", to_text(x.what)},
                             {"text", x.text}});
  return http::json_response(to_json(object{{"told", std::move(told)}}));
}

http::response record_orders::answer(const http::request& what, const http::route& where) {
  auto wish = order_from(what, where);
  if (!wish)
    return to_response(http::problem_of(wish.error()));
  auto found = model_.directory_of(what.names.at("experiment"));
  if (const auto* why = std::get_if<http::problem>(&found))
    return to_response(*why);
  const auto& directory = std::get<fs::path>(found);
  if (talk_.leads(what.names.at("experiment")))
    return talk_.carry_out(*wish);
  auto answer = ask_control(directory, *wish, patience);
  if (answer)
    return told_response(*answer);
  if (answer.error().code != ec::unreachable)
    return to_response(http::problem_of(answer.error()));
  if (!is_led(directory))
    return not_live(answer.error(), *wish, directory, takes_experiments_);
  return to_response(http::problem{504, "unreachable", answer.error().detail});
}

} // namespace tune::cli

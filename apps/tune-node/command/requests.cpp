// SPDX-License-Identifier: BSD-3-Clause
#include "command/requests.hpp"

#include "command/certs_requests.hpp"
#include "command/command_table.hpp"
#include "command/launch_request.hpp"
#include "command/looking_requests.hpp"
#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "command/quota_request.hpp"
#include "command/running_requests.hpp"
#include "command/scaling_request.hpp"
#include "command/up_request.hpp"
#include "console/text.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/program_name.hpp"
#include "tune/net/transport.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

template <class Range>
words as_words(const Range& xs) {
  return {xs.begin(), xs.end()};
}

/// The value given for an option; nothing if it takes none or was not given.
std::optional<std::string> value_of(const option_doc& option, const read_result& x) {
  auto given = x.text(option.name);
  auto has_none = option.word.empty() ? option.argument.empty() : given == "";
  return has_none ? std::nullopt : given;
}

/// Checks the values of options and positionals against their choices.
std::optional<error> check_choices(const read_result& x, const command_doc& where) {
  auto check = [&](std::string_view name, const std::string& given,
                   const std::vector<std::string_view>& choices) -> std::optional<error> {
    if (choices.empty() || std::find(choices.begin(), choices.end(), given) != choices.end())
      return std::nullopt;
    auto known = as_words(choices);
    std::string list;
    for (const auto& choice : known)
      list += (list.empty() ? "" : ", ") + choice;
    return wrong(std::string{name} + " is one of " + list + ", not " + in_single_quotes(given)
                     + did_you_mean(given, known),
                 &where);
  };
  const auto general = global_options_for(where);
  for (const auto* options : {&general, &where.options})
    for (const auto& option : *options)
      if (auto given = value_of(option, x))
        if (auto fault = check("--" + std::string{option.name}, *given, option.choices))
          return fault;
  for (std::size_t i = 0; i < std::min(x.positionals.size(), where.positionals.size()); ++i)
    if (auto fault = check("the argument of " + std::string{where.name}, x.positionals[i],
                           where.positionals[i].choices))
      return fault;
  return std::nullopt;
}

/// Whether the positional before it has the same name.
bool is_further(const command_doc& where, std::size_t i) {
  return i > 0 && where.positionals[i - 1].name == where.positionals[i].name;
}

std::optional<error> check_positionals(const read_result& x, const command_doc& where) {
  for (std::size_t i = x.positionals.size(); i < where.positionals.size(); ++i)
    if (where.positionals[i].required)
      return wrong(std::string{where.name} + " needs " + (is_further(where, i) ? "another " : "")
                       + std::string{where.positionals[i].name},
                   &where);
  auto repeats = !where.positionals.empty() && where.positionals.back().repeats;
  if (x.positionals.size() > where.positionals.size() && !repeats)
    return wrong("one argument too many: "
                     + in_single_quotes(x.positionals[where.positionals.size()]),
                 &where);
  return std::nullopt;
}

/// Why these options do not go together; empty: they do.
std::string misplaced_in_run(const run_request& x) {
  if (x.yes && !x.overwrite)
    return "--yes is for --overwrite";
  if (x.overwrite && x.resume)
    return "either --overwrite or --resume";
  if (x.overwrite && x.head)
    return "--overwrite is for experiments of this machine: a head's are removed where it runs";
  return {};
}

expected<request> run_from(const read_result& x, const command_doc& where) {
  run_request result;
  if (x.has("head") && x.has("listen"))
    return wrong("either --head or --listen: at a head, no port is opened here", &where);
  if (x.has("detach") && !x.has("head"))
    return wrong("--detach needs --head HOST:PORT", &where);
  if (x.has("http") && x.has("head"))
    return wrong("either --head or --http: a head serves its own page", &where);
  for (const auto& done : {read_option(x, "head", result.head, head_addresses_from, where),
                           read_option(x, "http", result.http, peer_address_from, where)}) {
    if (!done)
      return done.error();
  }
  result.detach = x.has("detach");
  result.file = x.positionals[0];
  result.dry_run = x.has("dry-run");
  if (auto given = x.text("resume"))
    result.resume = resume_mode_from(*given).value_or(resume_mode::automatic);
  result.strict = x.has("strict");
  result.overwrite = x.has("overwrite");
  result.yes = x.has("yes");
  if (auto fault = misplaced_in_run(result); !fault.empty())
    return wrong(fault, &where);
  result.overrides = x.overrides;
  // Each of these options sets a key of the file.
  if (auto given = x.text("listen"))
    result.overrides.push_back({"cluster.listen", *given});
  if (auto given = x.text("certs"))
    result.overrides.push_back({"cluster.certs", *given});
  if (auto given = x.text("cluster"))
    result.overrides.push_back({"cluster.name", *given});
  if (x.has("insecure-plaintext"))
    result.overrides.push_back({"cluster.insecure_plaintext", "true"});
  return request{std::move(result)};
}

/// Reads an option of liveness. @param set Sets it in rules that are checked then.
expected<void> read_liveness(const read_result& x, const char* option, instant liveness_rules::*set,
                             const char* range, liveness_rules& to, const command_doc& where) {
  auto read = [&](const std::string& text) -> expected<std::chrono::nanoseconds> {
    auto time = time_from(text);
    if (!time)
      return time.error();
    liveness_rules checked;
    checked.*set = *time;
    if (!validate(checked))
      return error{ec::bad_option, in_single_quotes(text) + " is not " + range};
    return *time;
  };
  return read_option(x, option, to.*set, read, where);
}

expected<void> read_lost_after(const read_result& x, liveness_rules& to, const command_doc& where) {
  return read_liveness(x, "lost-after", &liveness_rules::lost_after, "within 1s to 24h", to, where);
}

/// A standing head is begun again by whatever keeps it running, after minutes at most.
constexpr instant usual_head_grace = std::chrono::minutes{10};

expected<request> head_from(const read_result& x, const command_doc& where) {
  head_request result;
  result.liveness.head_grace = usual_head_grace;
  if (!x.has("listen"))
    return wrong("head needs --listen HOST:PORT", &where);
  result.certs = x.text("certs").value_or("");
  result.insecure_plaintext = x.has("insecure-plaintext");
  result.cluster = x.text("cluster").value_or(result.cluster);
  result.storage = x.text("storage").value_or(result.storage);
  result.work = x.text("work").value_or("");
  result.log_file = x.text("log-file").value_or("");
  result.local = !x.has("no-local");
  result.stands_by = x.has("standby");
  if (x.has("enroll") && result.insecure_plaintext)
    return wrong("either --enroll or --insecure-plaintext: tokens are for certificates", &where);
  for (const auto& done : {read_option(x, "listen", result.listen, peer_address_from, where),
                           read_option(x, "http", result.http, peer_address_from, where),
                           read_option(x, "enroll", result.enroll, peer_address_from, where),
                           read_lost_after(x, result.liveness, where),
                           read_liveness(x, "head-grace", &liveness_rules::head_grace,
                                         "0, or within 1s to 24h", result.liveness, where),
                           read_offers(x, result.offers, where), read_scaling(x, result, where),
                           read_limits(x, result.limits, where)}) {
    if (!done)
      return done.error();
  }
  if (result.stands_by && result.liveness.head_grace.count() == 0)
    return wrong("--standby does not go with --head-grace 0: nothing outlives a head then", &where);
  return request{std::move(result)};
}

expected<request> worker_from(const read_result& x, const command_doc& where) {
  worker_request result;
  if (!x.has("join"))
    return wrong("worker needs --join HOST:PORT", &where);
  result.name = x.text("name").value_or("");
  result.certs = x.text("certs").value_or("");
  result.cluster = x.text("cluster").value_or(result.cluster);
  result.work = x.text("work").value_or("");
  result.log_file = x.text("log-file").value_or("");
  result.insecure_plaintext = x.has("insecure-plaintext");
  result.once = x.has("once");
  result.own_storage = x.has("own-storage");
  result.token = x.text("token").value_or("");
  if (x.has("enroll") && !x.has("token"))
    return wrong("--enroll goes with --token", &where);
  if (x.has("token") && result.insecure_plaintext)
    return wrong("either --token or --insecure-plaintext", &where);
  auto bytes = [](const std::string& text) { return parse_bytes(text); };
  auto time = [](const std::string& text) { return time_from(text); };
  head_addresses join;
  for (const auto& done :
       {read_option(x, "join", join, head_addresses_from, where),
        read_offers(x, result.offers, where), read_option(x, "cache", result.cache, bytes, where),
        read_option(x, "join-timeout", result.join_timeout, time, where),
        read_option(x, "leave-grace", result.leave_grace, time, where),
        read_option(x, "idle-exit", result.idle_exit, time, where),
        read_option(x, "enroll", result.enroll, peer_address_from, where),
        read_lost_after(x, result.liveness, where)}) {
    if (!done)
      return done.error();
  }
  result.join = std::move(join.first);
  result.also = std::move(join.also);
  return request{std::move(result)};
}

expected<request> resume_from(const read_result& x, const command_doc&) {
  resume_request result;
  result.directory = x.positionals[0];
  if (auto given = x.text("mode"))
    result.mode = *resume_mode_from(*given);
  result.add = x.text("add").value_or("");
  result.strict = x.has("strict");
  result.overrides = x.overrides;
  return request{std::move(result)};
}

expected<std::vector<trial_id>> trials_in(const words& from, const command_doc& where) {
  std::vector<trial_id> result;
  for (std::size_t i = 1; i < from.size(); ++i) {
    auto number = count_from(from[i], "TRIAL", 0, where);
    if (!number)
      return number.error();
    result.push_back(trial_id{*number});
  }
  if (result.size() > most_control_trials)
    return wrong("at most " + std::to_string(most_control_trials) + " trials at a time", &where);
  return result;
}

expected<request> logs_from(const read_result& x, const command_doc& where) {
  logs_request result;
  result.directory = x.positionals[0];
  auto named = trials_in(x.positionals, where);
  if (!named)
    return named.error();
  if (!named->empty())
    result.trial = named->front();
  result.follow = x.has("follow");
  result.errors = x.has("stderr");
  result.raw = x.has("raw");
  if (result.errors && !result.trial)
    return wrong("--stderr needs a TRIAL", &where);
  return request{std::move(result)};
}

expected<request> add_from(const read_result& x, const command_doc& where) {
  client_command result;
  result.what = control_request::op::add;
  result.directory = x.positionals[0];
  result.config = x.text("config");
  result.key = x.text("key").value_or("");
  for (std::size_t i = 1; i < x.positionals.size(); ++i) {
    const auto& given = x.positionals[i];
    auto equals = given.find('=');
    if (equals == 0 || equals == given.npos)
      return wrong(in_single_quotes(given) + " is not NAME=VALUE", &where);
    result.values.push_back({given.substr(0, equals), given.substr(equals + 1)});
  }
  if (result.config && !result.values.empty())
    return wrong("either NAME=VALUE or --config", &where);
  if (result.key.size() > longest_control_key)
    return wrong("--key is longer than " + std::to_string(longest_control_key) + " bytes", &where);
  return request{std::move(result)};
}

expected<request> client_from(control_request::op what, const read_result& x,
                              const command_doc& where) {
  client_command result;
  result.what = what;
  result.directory = x.positionals[0];
  auto named = trials_in(x.positionals, where);
  if (!named)
    return named.error();
  result.trials = std::move(*named);
  result.from_scratch = x.has("from-scratch");
  return request{std::move(result)};
}

expected<request> help_from(const read_result& x, const command_doc& where) {
  auto topic = x.positionals.empty() ? std::string{} : x.positionals[0];
  if (!topic.empty() && find_command(topic) == nullptr) {
    words known;
    for (const auto& command : commands())
      known.emplace_back(command.name);
    return wrong("no command " + in_single_quotes(topic) + did_you_mean(topic, known), &where);
  }
  return request{help_request{std::move(topic), false, x.has("man")}};
}

} // namespace

/// The text of a wrong command line; `where` is null before the command is known.
error wrong(const std::string& what, const command_doc* where) {
  auto text = what + "\nusage: ";
  if (where != nullptr)
    return {ec::bad_syntax, text + usage_line(*where)
                                + "\nsee: " + program_call(std::string{where->name} + " --help")};
  text += program_name() + " ";
  for (const auto& x : commands())
    text.append(&x == &commands().front() ? "" : "|").append(x.name);
  return {ec::bad_syntax, text + " ...\nsee: " + program_call("--help")};
}

expected<request> request_from(const read_result& x, const command_doc& where) {
  if (x.has("help") || x.has("help-all"))
    return request{help_request{std::string{where.name}, x.has("help-all")}};
  if (x.has("version"))
    return request{version_request{}};
  if (auto fault = check_choices(x, where))
    return *fault;
  if (auto fault = check_positionals(x, where))
    return *fault;
  auto choices
      = where.positionals.empty() ? std::vector<std::string_view>{} : where.positionals[0].choices;
  if (where.name == "run")
    return run_from(x, where);
  if (where.name == "up")
    return up_from(x, where);
  if (where.name == "launch")
    return launch_from(x, where);
  if (where.name == "down")
    return down_from(x, where);
  if (where.name == "ask-tell")
    return ask_tell_from(x, where);
  if (where.name == "head")
    return head_from(x, where);
  if (where.name == "doctor")
    return doctor_from(x, where);
  if (where.name == "worker")
    return worker_from(x, where);
  if (auto looking = looking_request(x, where))
    return std::move(*looking);
  using op = control_request::op;
  if (where.name == "resume")
    return resume_from(x, where);
  if (where.name == "logs")
    return logs_from(x, where);
  if (where.name == "add")
    return add_from(x, where);
  for (auto what : {op::stop, op::pause, op::unpause, op::retry}) {
    if (where.name == to_text(what))
      return client_from(what, x, where);
  }
  if (where.name == "simulate")
    return simulate_from(x, where);
  if (where.name == "whatif")
    return whatif_from(x, where);
  if (where.name == "config")
    return request{config_request{chosen<config_request::action>(choices, x.positionals[0]),
                                  x.positionals[1], x.overrides, x.has("ask-tell")}};
  if (where.name == "certs")
    return certs_from(x, where);
  if (where.name == "completion")
    return request{
        completion_request{chosen<completion_request::shell>(choices, x.positionals[0])}};
  if (where.name == "help")
    return help_from(x, where);
  return request{version_request{}};
}

} // namespace tune::cli

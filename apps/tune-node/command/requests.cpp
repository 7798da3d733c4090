// SPDX-License-Identifier: BSD-3-Clause
#include "command/requests.hpp"

#include "command/certs_requests.hpp"
#include "command/command_options.hpp"
#include "command/command_table.hpp"
#include "command/launch_request.hpp"
#include "command/looking_requests.hpp"
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
  const auto given = x.options.find(option.name);
  if (given == x.options.end())
    return std::nullopt;
  const auto& text = given->second.back();
  const auto has_none = option.word.empty() ? option.argument.empty() : text.empty();
  return has_none ? std::nullopt : std::optional{text};
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
std::string misplaced_in_run(const run_words& x) {
  const auto& run = x.run;
  if (run.head && x.listen)
    return "either --head or --listen: at a head, no port is opened here";
  if (run.detach && !run.head)
    return "--detach needs --head HOST:PORT";
  if (run.http && run.head)
    return "either --head or --http: a head serves its own page";
  if (run.yes && !run.overwrite)
    return "--yes is for --overwrite";
  if (run.overwrite && run.resume)
    return "either --overwrite or --resume";
  if (!run.add.empty() && !run.resume)
    return "--add is for experiments that go on: it goes with --resume";
  if (!run.add.empty() && run.dry_run)
    return "either --add or --dry-run";
  if (run.overwrite && run.head)
    return "--overwrite is for experiments of this machine: a head's are removed where it runs";
  return {};
}

/// The keys of the file that options stand for.
void add_keys(const run_words& from, std::vector<named_text>& to) {
  if (from.listen)
    to.push_back({"cluster.listen", *from.listen});
  if (from.certs)
    to.push_back({"cluster.certs", *from.certs});
  if (from.cluster)
    to.push_back({"cluster.name", *from.cluster});
  if (from.insecure_plaintext)
    to.push_back({"cluster.insecure_plaintext", "true"});
}

expected<request> run_from(const read_result& x, const command_doc& where) {
  run_words given;
  if (auto done = read_options(x, options_of_run(), given, where); !done)
    return done.error();
  if (auto fault = misplaced_in_run(given); !fault.empty())
    return wrong(fault, &where);
  auto& result = given.run;
  result.file = x.positionals[0];
  result.overrides = x.overrides;
  add_keys(given, result.overrides);
  return request{std::move(result)};
}

/// A standing head is begun again by whatever keeps it running, after minutes at most.
constexpr instant usual_head_grace = std::chrono::minutes{10};

expected<request> head_from(const read_result& x, const command_doc& where) {
  head_words given;
  auto& result = given.head;
  result.liveness.head_grace = usual_head_grace;
  if (auto done = read_options(x, options_of_head(), given, where); !done)
    return done.error();
  if (result.enroll && result.insecure_plaintext)
    return wrong("either --enroll or --insecure-plaintext: tokens are for certificates", &where);
  if (auto done = take_scaling(x, given, where); !done)
    return done.error();
  if (result.stands_by && result.liveness.head_grace.count() == 0)
    return wrong("--standby does not go with --head-grace 0: nothing outlives a head then", &where);
  return request{std::move(result)};
}

expected<request> worker_from(const read_result& x, const command_doc& where) {
  worker_request result;
  if (auto done = read_options(x, options_of_worker(), result, where); !done)
    return done.error();
  if (result.enroll && result.token.empty())
    return wrong("--enroll goes with --token", &where);
  if (!result.token.empty() && result.insecure_plaintext)
    return wrong("either --token or --insecure-plaintext", &where);
  return request{std::move(result)};
}

expected<request> resume_from(const read_result& x, const command_doc& where) {
  resume_request result;
  if (auto done = read_options(x, options_of_resume(), result, where); !done)
    return done.error();
  result.directory = x.positionals[0];
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
  if (auto done = read_options(x, options_of_logs(), result, where); !done)
    return done.error();
  if (result.errors && !result.trial)
    return wrong("--stderr needs a TRIAL", &where);
  return request{std::move(result)};
}

expected<request> add_from(const read_result& x, const command_doc& where) {
  client_command result;
  result.what = control_request::op::add;
  result.directory = x.positionals[0];
  if (auto done = read_options(x, options_of_add(), result, where); !done)
    return done.error();
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
  if (what == control_request::op::retry) {
    if (auto done = read_options(x, options_of_retry(), result, where); !done)
      return done.error();
  }
  return request{std::move(result)};
}

expected<request> config_from(const read_result& x, const command_doc& where) {
  config_request result;
  if (auto done = read_options(x, options_of_config(), result, where); !done)
    return done.error();
  result.what = chosen<config_request::action>(where.positionals[0].choices, x.positionals[0]);
  result.file = x.positionals[1];
  result.overrides = x.overrides;
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
  help_request result{std::move(topic)};
  if (auto done = read_options(x, options_of_help(), result, where); !done)
    return done.error();
  return request{std::move(result)};
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

expected<request> request_from(const read_result& x, const command_doc& where,
                               const general_words& general) {
  if (general.help || general.help_all)
    return request{help_request{std::string{where.name}, general.help_all}};
  if (general.version)
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
    return config_from(x, where);
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

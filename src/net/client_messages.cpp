// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/client_messages.hpp"

#include "tune/io/field_reader.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

constexpr std::array<std::string_view, 3> request_names{"state", "interrupt", "rows"};

/// Reads an object with `read`, which gets a `field_reader`.
template <class Read>
auto read_object(std::string_view text, const char* what, Read read)
    -> expected<decltype(read(std::declval<field_reader&>()))> {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, what};
  auto result = read(from);
  if (from.fault())
    return *from.fault();
  return result;
}

/// The error of a refusal; empty for any other answer.
std::optional<error> refusal_of(const object& answer) {
  field_reader from{answer, "in an answer of the head"};
  if (from.get<bool>("ok"))
    return std::nullopt;
  auto code = from.get_count("code");
  auto why = from.get<std::string>("why");
  if (from.fault())
    return *from.fault();
  auto known = code >= static_cast<std::uint64_t>(ec::bad_option)
               && code <= static_cast<std::uint64_t>(ec::unreachable);
  return error{known ? static_cast<ec>(code) : ec::internal, std::move(why)};
}

template <class Read>
auto read_answer(std::string_view text, Read read)
    -> expected<decltype(read(std::declval<field_reader&>()))> {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  if (auto why = refusal_of(*all))
    return *why;
  return read_object(text, "in an answer of the head", std::move(read));
}

value::list list_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// A list of texts; empty where it is missing.
std::vector<std::string> texts_in(field_reader& from, const char* name) {
  std::vector<std::string> result;
  for (const auto& each : from.get_if<value::list>(name).value_or(value::list{})) {
    if (each.as_string() == nullptr)
      from.fail(std::string{name} + " must be texts");
    else
      result.push_back(*each.as_string());
  }
  return result;
}

} // namespace

std::string to_json(const client_hello& x) {
  object result;
  result.set("role", "client");
  result.set("protocol", value{x.build.protocol});
  result.set("version", x.build.version);
  result.set("caf", x.build.caf);
  result.set("cluster", x.cluster);
  result.set("name", x.name);
  return to_json(result);
}

expected<std::optional<client_hello>> client_hello_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in a client's hello"};
  if (from.get_if<std::string>("role") != "client")
    return std::optional<client_hello>{};
  client_hello result;
  result.build = {from.get<std::int64_t>("protocol"), from.get<std::string>("version"),
                  from.get<std::string>("caf")};
  result.cluster = from.get<std::string>("cluster");
  result.name = from.get<std::string>("name");
  if (from.fault())
    return *from.fault();
  return std::optional{std::move(result)};
}

expected<void> may_submit(const client_hello& who, const build_identity& build,
                          const std::string& cluster) {
  return may_speak("client '" + who.name + "'", who.build, who.cluster, build, cluster);
}

std::string to_json(const submission_message& x) {
  object result;
  result.set("experiment", x.experiment);
  result.set("job", x.job);
  result.set("from", x.from);
  result.set("resume", x.resume ? value{to_text(*x.resume)} : value{});
  result.set("queue_trials", x.queue_trials ? value{*x.queue_trials} : value{});
  result.set("rows", x.rows);
  result.set("numbered", value{x.numbered});
  result.set("attaches", value{x.attaches});
  result.set("usual_searcher", value{x.usual_searcher});
  result.set("search_options", list_of(x.search_options));
  result.set("add", x.add);
  result.set("add_key", x.add_key);
  return to_json(result);
}

expected<submission_message> submission_message_from_json(std::string_view text) {
  return read_object(text, "in a submission", [](field_reader& from) {
    submission_message result;
    result.experiment = from.get<std::string>("experiment");
    result.job = from.get<std::string>("job");
    result.from = from.get<std::string>("from");
    if (auto how = from.get_if<std::string>("resume")) {
      result.resume = resume_mode_from(*how);
      if (!result.resume)
        from.fail("resume has an unknown name");
    }
    result.queue_trials = from.get_if<bool>("queue_trials");
    result.rows = from.get<std::string>("rows");
    result.numbered = from.get_if<bool>("numbered").value_or(false);
    result.attaches = from.get_if<bool>("attaches").value_or(false);
    result.usual_searcher = from.get_if<bool>("usual_searcher").value_or(false);
    result.search_options = texts_in(from, "search_options");
    result.add = from.get_if<std::string>("add").value_or("");
    result.add_key = from.get_if<std::string>("add_key").value_or("");
    return result;
  });
}

std::string to_json(const submission_taken& x) {
  object result;
  result.set("ok", value{true});
  result.set("key", value{static_cast<std::int64_t>(x.key)});
  result.set("directory", x.directory);
  result.set("planned", x.planned ? value{static_cast<std::int64_t>(*x.planned)} : value{});
  result.set("experiment", x.experiment);
  value::list objectives;
  for (const auto& each : x.objectives)
    objectives.emplace_back(object{{"metric", each.metric}, {"maximise", each.maximise}});
  result.set("objectives", std::move(objectives));
  if (x.head_grace_ms > 0)
    result.set("head_grace_ms", value{x.head_grace_ms});
  return to_json(result);
}

std::string to_json(const error& x) {
  object result;
  result.set("ok", value{false});
  result.set("code", value{static_cast<std::int64_t>(x.code)});
  result.set("why", x.detail);
  return to_json(result);
}

expected<submission_taken> submission_taken_from_json(std::string_view text) {
  return read_answer(text, [](field_reader& from) {
    submission_taken result;
    result.key = from.get_count("key");
    result.directory = from.get<std::string>("directory");
    if (auto planned = from.get_if<std::int64_t>("planned"))
      result.planned = static_cast<std::uint64_t>(*planned);
    result.experiment = from.get_if<std::string>("experiment").value_or("");
    result.head_grace_ms = from.get_if<std::int64_t>("head_grace_ms").value_or(0);
    for (const auto& each : from.get_if<value::list>("objectives").value_or(value::list{})) {
      const auto* metric = each.as_object() ? each.as_object()->find("metric") : nullptr;
      const auto* maximise = each.as_object() ? each.as_object()->find("maximise") : nullptr;
      if (metric == nullptr || metric->as_string() == nullptr || maximise == nullptr
          || maximise->as_bool() == nullptr)
        from.fail("objectives has a wrong type");
      else
        result.objectives.push_back({*metric->as_string(), *maximise->as_bool()});
    }
    return result;
  });
}

std::string to_json(const client_request& x) {
  object result;
  result.set("ask", request_names[static_cast<std::size_t>(x.what)]);
  result.set("key", value{static_cast<std::int64_t>(x.key)});
  result.set("from", value{static_cast<std::int64_t>(x.from)});
  if (!x.rows.empty())
    result.set("rows", x.rows);
  return to_json(result);
}

expected<client_request> client_request_from_json(std::string_view text) {
  return read_object(text, "in a question", [](field_reader& from) {
    client_request result;
    auto what = from.get<std::string>("ask");
    auto known = std::find(request_names.begin(), request_names.end(), what);
    if (known == request_names.end())
      from.fail("'" + what + "' cannot be asked");
    else
      result.what = static_cast<client_request::kind>(known - request_names.begin());
    result.key = from.get_count("key");
    result.from = from.get_count("from");
    result.rows = from.get_if<std::string>("rows").value_or("");
    return result;
  });
}

std::string to_json(const remote_command& x) {
  object result;
  result.set("command", x.command);
  result.set("experiments", list_of(x.experiments));
  result.set("options", list_of(x.options));
  result.set("before", list_of(x.before));
  result.set("arguments", list_of(x.arguments));
  result.set("program", x.program);
  result.set("reaching", x.reaching);
  result.set("columns", value{static_cast<std::int64_t>(x.columns)});
  return to_json(result);
}

expected<remote_command> remote_command_from_json(std::string_view text) {
  return read_object(text, "in a command", [](field_reader& from) {
    remote_command result;
    result.command = from.get<std::string>("command");
    result.experiments = texts_in(from, "experiments");
    result.options = texts_in(from, "options");
    result.before = texts_in(from, "before");
    result.arguments = texts_in(from, "arguments");
    result.program = from.get<std::string>("program");
    result.reaching = from.get<std::string>("reaching");
    result.columns = from.get_count("columns");
    return result;
  });
}

std::string to_json(const rows_piece& x) {
  object result;
  result.set("ok", value{true});
  result.set("text", x.text);
  result.set("last", value{x.last});
  return to_json(result);
}

expected<rows_piece> rows_piece_from_json(std::string_view text) {
  return read_answer(text, [](field_reader& from) {
    return rows_piece{from.get<std::string>("text"), from.get<bool>("last")};
  });
}

rows_piece piece_of(std::string_view all, std::uint64_t from, std::size_t most) {
  if (from >= all.size())
    return {{}, true};
  all.remove_prefix(static_cast<std::size_t>(from));
  auto size = std::min(all.size(), most);
  // Continuation bytes of a character begin with the bits 10.
  auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (size > 1 && size < all.size() && is_inside(all[size]))
    --size;
  return {std::string{all.substr(0, size)}, size == all.size()};
}

bool is_lasting(const remote_command& x) {
  const auto follows = [](const std::string& option) { return option.starts_with("--f"); };
  return x.command == "wait"
         || (x.command == "logs" && std::any_of(x.options.begin(), x.options.end(), follows));
}

} // namespace tune

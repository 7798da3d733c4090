// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/line_protocol.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/loose_json.hpp"

#include <array>
#include <utility>

namespace tune {

namespace {

using kind = link_answer::kind;

constexpr std::int64_t protocol_version = 1;
constexpr std::size_t quoted_length = 80;

/// Decision words, in the order of `link_answer::kind`.
constexpr std::array<std::string_view, 4> decisions{"continue", "save", "pause", "stop"};

error complain(std::string what, std::string_view text) {
  return {ec::protocol, std::move(what) + " in line: " + printable(text.substr(0, quoted_length))
                            + (text.size() > quoted_length ? " (and more)" : "")};
}

const std::string* string_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? nullptr : found->as_string();
}

bool is_true(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found != nullptr && found->as_bool() != nullptr && *found->as_bool();
}

bool is_false(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found != nullptr && found->as_bool() != nullptr && !*found->as_bool();
}

bool take_done(object& metrics) {
  const auto* done = metrics.find("done");
  if (done == nullptr || done->as_bool() == nullptr)
    return false;
  auto result = *done->as_bool();
  metrics.erase("done");
  return result;
}

expected<line::any> read_hello(const object& from, std::string_view text) {
  const auto* version = from.find("tune")->as_int();
  if (version == nullptr || *version != protocol_version)
    return complain("'tune' must be the protocol's version, which is 1,", text);
  line::hello result;
  if (const auto* can = from.find("can_save"); can != nullptr && can->as_bool() != nullptr)
    result.can_save = *can->as_bool();
  return line::any{result};
}

expected<line::any> read_report(object from, std::string_view text) {
  auto* metrics = from.find("metrics")->as_object();
  if (metrics == nullptr)
    return complain("'metrics' must be an object", text);
  line::report result;
  result.done = take_done(*metrics) || is_true(from, "done");
  result.metrics = std::move(*metrics);
  if (const auto* directory = from.find("checkpoint"); directory && !directory->is_null()) {
    if (directory->as_string() == nullptr || directory->as_string()->empty())
      return complain("'checkpoint' must be a directory's name", text);
    result.checkpoint = *directory->as_string();
  }
  return line::any{std::move(result)};
}

object to_object(const line::nothing&) {
  return {};
}

object to_object(const line::hello& what) {
  object result{{"tune", protocol_version}};
  if (what.can_save)
    result.set("can_save", *what.can_save);
  return result;
}

object to_object(const line::report& what) {
  object result{{"metrics", what.metrics}};
  if (what.done)
    result.set("done", true);
  if (what.checkpoint)
    result.set("checkpoint", what.checkpoint->string());
  return result;
}

object to_object(const line::saved& what) {
  return {{"saved", what.directory.string()}};
}

object to_object(const line::save_failed& what) {
  object result{{"save_failed", what.directory.string()}, {"error", what.why}};
  if (what.unable)
    result.set("can_save", false);
  return result;
}

object to_object(const line::exporting&) {
  return {{"exporting", true}};
}

object to_object(const line::export_failed& what) {
  return {{"export_failed", what.format}, {"error", what.why}};
}

object to_object(const line::failure& what) {
  object result{{"error", what.text}};
  if (what.restore)
    result.set("restore", true);
  return result;
}

} // namespace

expected<line::any> read_report_line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == text.npos)
    return line::any{line::nothing{}};
  auto from = object_from_loose_json(text, json_position::metric);
  if (!from)
    return complain((has_too_large_number(from.error()) ? "" : "a report must be one JSON object: ")
                        + from.error().detail,
                    text);
  if (from->contains("metrics"))
    return read_report(std::move(*from), text);
  if (from->contains("tune"))
    return read_hello(*from, text);
  for (const auto* word : {"saved", "save_failed", "export_failed", "error"}) {
    if (from->contains(word) && string_at(*from, word) == nullptr)
      return complain("'" + std::string{word} + "' must be a text,", text);
  }
  if (const auto* directory = string_at(*from, "saved"))
    return line::any{line::saved{*directory}};
  const auto* why = string_at(*from, "error");
  if (const auto* directory = string_at(*from, "save_failed"))
    return line::any{line::save_failed{*directory, why != nullptr ? *why : "no reason given",
                                       is_false(*from, "can_save")}};
  if (is_true(*from, "exporting"))
    return line::any{line::exporting{}};
  if (const auto* format = string_at(*from, "export_failed"))
    return line::any{line::export_failed{*format, why != nullptr ? *why : "no reason given"}};
  if (why != nullptr)
    return line::any{line::failure{*why, is_true(*from, "restore")}};
  return complain("none of 'metrics', 'saved', 'save_failed', 'error', 'tune'", text);
}

expected<line::any> too_long_report_line(std::string_view beginning) {
  return complain("a report must be no longer than " + std::to_string(beginning.size())
                      + " bytes (put large values into a file in the trial's directory, or into a "
                        "checkpoint)",
                  beginning);
}

std::string to_line(const line::any& what) {
  if (std::holds_alternative<line::nothing>(what))
    return {};
  return to_json(std::visit([](const auto& x) { return to_object(x); }, what));
}

std::string to_line(const link_answer& what) {
  object result{{"decision", decisions[static_cast<std::size_t>(what.what)]}};
  if (!what.directory.empty())
    result.set("dir", what.directory.string());
  if (what.exports)
    result.set("export", true);
  return to_json(result);
}

expected<link_answer> read_answer_line(std::string_view text) {
  auto from = object_from_json(text);
  if (!from)
    return complain("an answer must be one JSON object: " + from.error().detail, text);
  const auto* word = string_at(*from, "decision");
  for (std::size_t i = 0; word != nullptr && i < decisions.size(); ++i) {
    if (decisions[i] != *word)
      continue;
    link_answer result{static_cast<kind>(i), {}, false};
    if (const auto* directory = string_at(*from, "dir"))
      result.directory = *directory;
    result.exports = is_true(*from, "export");
    if (result.directory.empty() && (result.what == kind::save || result.what == kind::pause))
      return complain("'" + *word + "' without 'dir'", text);
    return result;
  }
  return complain("no 'decision' of continue, save, pause, stop", text);
}

} // namespace tune

/// Makers of rows for the table of keys: each binds a key to a field of `spec`. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "key_texts.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/spec/keys.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Names a field for reading and writing.
#define TUNE_FIELD(path)                                                                           \
  [](spec & x) -> auto& {                                                                          \
    return x.path;                                                                                 \
  }

namespace tune::key_makers {

using rows = std::vector<key_spec>;

/// The section, name and meaning of a key.
struct head {
  const char* section;
  const char* name;
  const char* meaning;
  bool may_change = false;
};

struct range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// Longest duration: 30 years, far below an overflow of nanoseconds. [s]
inline constexpr double most_seconds = 1e9;

[[nodiscard]] inline key_spec start(const head& of, option_kind kind, std::string form,
                                    range bounds = {}) {
  key_spec result;
  result.section = of.section;
  result.rule.name = of.name;
  result.rule.kind = kind;
  result.rule.meaning = of.meaning;
  result.rule.least = bounds.least;
  result.rule.most = bounds.most;
  result.form = std::move(form);
  result.may_change = of.may_change;
  return result;
}

/// Read-only access to a field of a spec.
template <class Field>
const auto& get(Field field, const spec& x) {
  return field(const_cast<spec&>(x));
}

/// "seed = x: must be …".
[[nodiscard]] inline error refusal(const std::string& key, const std::string& text,
                                   const std::string& why) {
  return {ec::bad_option, key + " = " + text.substr(0, 80) + ": " + why};
}

/// Parses by the row's own rule, like options of catalogue entries.
[[nodiscard]] inline expected<options> by_rule(const option_spec& rule, const std::string& text) {
  return options::parse({rule}, {{rule.name, text}});
}

/// "seed = x: must be a whole number, >= 0".
[[nodiscard]] inline error out_of_range(const option_spec& rule, const std::string& what,
                                        const std::string& form) {
  auto range = range_text(rule);
  return refusal(rule.name, what, "must be " + form + (range.empty() ? "" : ", " + range));
}

template <class Field>
key_spec integer(const head& of, range bounds, Field field) {
  auto result = start(of, option_kind::integer, "whole number", bounds);
  result.write = [field](const spec& x) { return std::to_string(get(field, x)); };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto parsed = by_rule(rule, what);
    if (!parsed)
      return out_of_range(rule, what, "a whole number");
    auto& to = field(x);
    to = static_cast<std::decay_t<decltype(to)>>(parsed->integer(rule.name));
    return {};
  };
  return result;
}

template <class Field>
key_spec number(const head& of, range bounds, Field field) {
  auto result = start(of, option_kind::number, "number", bounds);
  result.write = [field](const spec& x) { return key_texts::number(get(field, x)); };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto parsed = by_rule(rule, what);
    if (!parsed)
      return out_of_range(rule, what, "a number");
    field(x) = parsed->number(rule.name) + 0.0; // "-0" is 0
    return {};
  };
  return result;
}

template <class Field>
key_spec boolean(const head& of, Field field) {
  auto result = start(of, option_kind::boolean, "true or false");
  result.write = [field](const spec& x) -> std::string { return get(field, x) ? "true" : "false"; };
  result.read = [field, rule = result.rule](spec& x, const std::string& text) -> expected<void> {
    auto parsed = by_rule(rule, text);
    if (!parsed)
      return parsed.error();
    field(x) = parsed->boolean(rule.name);
    return {};
  };
  return result;
}

template <class Field>
key_spec text(const head& of, std::string form, Field field) {
  auto result = start(of, option_kind::text, std::move(form));
  result.write = [field](const spec& x) { return get(field, x); };
  result.read = [field](spec& x, const std::string& what) -> expected<void> {
    field(x) = what;
    return {};
  };
  return result;
}

/// @param choices Names in the order of the enumerators, or of false and true.
template <class Field>
key_spec one_of(const head& of, std::vector<std::string> choices, Field field) {
  auto result = start(of, option_kind::text, "");
  result.rule.choices = std::move(choices);
  result.write = [field, rule = result.rule](const spec& x) {
    return rule.choices[static_cast<std::size_t>(get(field, x))];
  };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto parsed = by_rule(rule, what);
    if (!parsed)
      return parsed.error();
    std::size_t index = 0;
    while (rule.choices[index] != what)
      ++index;
    auto& to = field(x);
    to = static_cast<std::decay_t<decltype(to)>>(index);
    return {};
  };
  return result;
}

template <class Field>
key_spec duration(const head& of, Field field) {
  auto result = start(of, option_kind::duration, "duration such as 90, 500ms, 10m, 1h30m, 2d");
  result.write = [field](const spec& x) { return key_texts::duration(get(field, x)); };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto seconds = parse_seconds(what);
    if (!seconds)
      return refusal(rule.name, what,
                     "must be a duration of 0 or more such as 90, 500ms, 10m, 1h30m, 2d");
    if (!(*seconds >= 0 && *seconds <= most_seconds))
      return refusal(rule.name, what, "must be 0 to " + key_texts::number(most_seconds) + " s");
    field(x) = std::chrono::nanoseconds{std::llround(*seconds * 1e9)};
    return {};
  };
  return result;
}

[[nodiscard]] inline expected<std::uint64_t> read_bytes(const std::string& key,
                                                        const std::string& what) {
  auto parsed = parse_bytes(what);
  if (!parsed)
    return refusal(key, what, "must be a size >= 0 such as 2GiB, 512MB, 1e9");
  return parsed;
}

template <class Field>
key_spec bytes(const head& of, Field field) {
  auto result = start(of, option_kind::text, "size such as 2GiB, 512MB, 1e9; 0 = none");
  result.write = [field](const spec& x) { return key_texts::bytes(get(field, x)); };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto parsed = read_bytes(rule.name, what);
    if (!parsed)
      return parsed.error();
    field(x) = *parsed;
    return {};
  };
  return result;
}

/// Makes a value optional, with "auto" for its absence.
template <class Field>
key_spec or_auto(key_spec result, Field field) {
  result.form += ", or auto";
  result.write = [field, write = result.write](const spec& x) -> std::string {
    return get(field, x) ? write(x) : "auto";
  };
  result.read = [field, read = result.read](spec& x, const std::string& what) -> expected<void> {
    if (what != "auto") {
      field(x).emplace();
      return read(x, what);
    }
    field(x).reset();
    return {};
  };
  return result;
}

/// A count of failures: a whole number or "unlimited" (also -1, as elsewhere).
[[nodiscard]] inline expected<std::uint32_t> read_count(const option_spec& rule,
                                                        const std::string& what) {
  if (what == "unlimited" || what == "-1")
    return failure_policy::unlimited;
  auto parsed = parse_integer(what);
  if (!parsed || *parsed < 0 || *parsed >= failure_policy::unlimited)
    return refusal(rule.name, what, "must be a whole number >= 0 or unlimited");
  return static_cast<std::uint32_t>(*parsed);
}

[[nodiscard]] inline std::string count_text(std::uint32_t x) {
  return x == failure_policy::unlimited ? "unlimited" : std::to_string(x);
}

template <class Field>
key_spec count(const head& of, Field field) {
  auto result = start(of, option_kind::integer, "whole number or unlimited", {0});
  result.write = [field](const spec& x) { return count_text(get(field, x)); };
  result.read = [field, rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    auto parsed = read_count(rule, what);
    if (!parsed)
      return parsed.error();
    field(x) = *parsed;
    return {};
  };
  return result;
}

/// A count that defaults to `max_failures`.
template <class Field>
key_spec count_or_failures(const head& of, Field field) {
  auto result = count(of, [field](spec& x) -> std::uint32_t& {
    auto& to = field(x);
    return to ? *to : to.emplace(x.failure.max_failures);
  });
  result.write = [field](const spec& x) {
    return count_text(get(field, x).value_or(x.failure.max_failures));
  };
  return result;
}

/// A family of keys with user-defined names.
/// The name in `of` is the prefix of its keys, such as "metric."; may be empty.
[[nodiscard]] inline key_spec family(const head& of, std::string placeholder, std::string form,
                                     std::vector<named_text>& (*entries)(spec&),
                                     expected<void> (*check)(const named_text&) = nullptr) {
  auto result = start(of, option_kind::text, std::move(form));
  result.placeholder = std::move(placeholder);
  result.entries = entries;
  result.check = check;
  return result;
}

} // namespace tune::key_makers

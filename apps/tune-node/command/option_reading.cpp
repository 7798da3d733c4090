// SPDX-License-Identifier: BSD-3-Clause
#include "command/option_reading.hpp"

#include "command/option_values.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/resource/demands.hpp"

namespace tune::cli {

const option_doc& option_of(const command_doc& where, std::string_view name) {
  return *std::find_if(where.options.begin(), where.options.end(),
                       [name](const auto& x) { return x.name == name; });
}

expected<std::uint64_t> count_from(const std::string& text, std::string_view name,
                                   std::int64_t least, const command_doc& where) {
  auto number = parse_integer(text);
  if (number && *number >= least)
    return static_cast<std::uint64_t>(*number);
  return wrong(std::string{name} + " is a whole number from " + std::to_string(least) + ", not "
                   + in_single_quotes(text),
               &where);
}

namespace {

/// Reads an option that may be given several times.
expected<void> read_words_of(const read_result& from, std::string_view option, words& to,
                             expected<void> (*check)(std::string_view), const command_doc& where) {
  const auto given = from.options.find(option);
  if (given == from.options.end())
    return {};
  for (const auto& text : given->second) {
    if (auto fits = check(text); !fits)
      return wrong("--" + std::string{option} + ": " + fits.error().detail, &where);
  }
  to = given->second;
  return {};
}

expected<void> check_names(const words& labels, const command_doc& where) {
  words names;
  for (const auto& x : labels) {
    auto name = x.substr(0, x.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end())
      return wrong("--label: " + in_single_quotes(name) + " is given two values", &where);
    names.push_back(std::move(name));
  }
  return {};
}

} // namespace

words own_words(const read_result& from, const command_doc& where,
                const std::vector<std::string_view>& except) {
  words result;
  for (const auto& option : where.options) {
    const auto given = from.options.find(option.name);
    const auto is_left_out = std::find(except.begin(), except.end(), option.name) != except.end();
    if (given == from.options.end() || is_left_out)
      continue;
    const auto name = "--" + std::string{option.name};
    for (const auto& text : given->second) {
      const auto is_joined = text.starts_with('-') || !option.word.empty();
      if (text.empty() && option.argument.empty())
        result.push_back(name);
      else if (is_joined)
        result.push_back(name + "=" + text);
      else
        result.insert(result.end(), {name, text});
    }
  }
  return result;
}

expected<void> read_offers(const read_result& from, offered_request& to, const command_doc& where) {
  auto bytes = [](const std::string& text) { return parse_bytes(text); };
  for (const auto& done : {read_option(from, "cpus", to.cpus, amount_from, where),
                           read_option(from, "gpus", to.gpus, amount_from, where),
                           read_option(from, "memory", to.memory, bytes, where),
                           read_option(from, "custom", to.custom, custom_from, where),
                           read_words_of(from, "label", to.labels, check_label, where),
                           read_words_of(from, "taint", to.taints, check_taint, where)}) {
    if (!done)
      return done;
  }
  return check_names(to.labels, where);
}

} // namespace tune::cli

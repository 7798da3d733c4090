// SPDX-License-Identifier: BSD-3-Clause
#include "command/read_words.hpp"

#include "console/text.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/io/spec/load.hpp"

#include <boost/program_options.hpp>

#include <algorithm>

namespace tune::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* positional_key = "(positional)";

void declare(po::options_description& to, const option_doc& x) {
  auto name = std::string{x.name};
  if (x.letter != 0)
    name += std::string{','} + x.letter;
  if (!x.word.empty())
    to.add_options()(name.c_str(), po::value<std::string>()->implicit_value(""), "");
  else if (x.argument.empty())
    to.add_options()(name.c_str(), "");
  else
    to.add_options()(name.c_str(), po::value<std::string>(), "");
}

/// The command's own options, and those of all commands in whose place it has none.
std::vector<option_doc> options_of(const command_doc& where) {
  auto result = where.options;
  auto more = global_options_for(where);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

/// Parses with Boost, and throws its errors.
po::parsed_options run_boost(const words& all, const command_doc& where) {
  po::options_description known;
  for (const auto& x : options_of(where))
    declare(known, x);
  known.add_options()(positional_key, po::value<words>(), "");
  po::positional_options_description positionals;
  positionals.add(positional_key, -1);
  po::command_line_parser parser{all};
  parser.options(known).positional(positionals);
  parser.style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing);
  auto result = parser.run();
  result.description = nullptr; // `known`, which it points to, ends here
  return result;
}

/// Words that are given in capitals, as statuses are shown, become the choices that they name.
void write_as_listed(words& given, const std::vector<std::string_view>& choices) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (auto& word : given) {
    auto small = word;
    std::transform(small.begin(), small.end(), small.begin(), lower);
    if (std::find(choices.begin(), choices.end(), small) != choices.end())
      word = std::move(small);
  }
}

expected<read_result> sorted(const po::parsed_options& from, const command_doc& where) {
  read_result result;
  for (const auto& x : from.options) {
    if (x.string_key == positional_key) {
      result.positionals.insert(result.positionals.end(), x.value.begin(), x.value.end());
      continue;
    }
    result.options[x.string_key].push_back(x.value.empty() ? std::string{} : x.value[0]);
  }
  for (const auto& x : options_of(where)) {
    auto given = result.options.find(x.name);
    if (given != result.options.end())
      write_as_listed(given->second, x.choices);
    if (given != result.options.end() && given->second.size() > 1
        && !(x.argument.empty() && x.word.empty()) && !x.repeats)
      return error{ec::bad_syntax, "--" + std::string{x.name} + " is given more than once"};
  }
  return result;
}

std::string without_dashes(const std::string& x) {
  return x.substr(std::min(x.find_first_not_of('-'), x.size()));
}

error unknown(const std::string& given, const command_doc& where) {
  auto bare = without_dashes(given);
  if (bare.find('.') != bare.npos && !where.overrides)
    return {ec::unknown_name, "unknown option " + in_single_quotes(given) + "; "
                                  + std::string{where.name} + " takes no --section.key"};
  words known;
  for (const auto& x : options_of(where))
    known.emplace_back(x.name);
  return {ec::unknown_name,
          "unknown option " + in_single_quotes(given) + did_you_mean(bare, known, "--")};
}

error explain(const po::error& what, const command_doc& where) {
  if (const auto* x = dynamic_cast<const po::unknown_option*>(&what))
    return unknown(x->get_option_name(), where);
  const auto* x = dynamic_cast<const po::invalid_syntax*>(&what);
  if (x == nullptr)
    return {ec::bad_syntax, printable(what.what())};
  auto name = printable("--" + without_dashes(x->get_option_name()));
  switch (x->kind()) {
    case po::invalid_syntax::missing_parameter:
    case po::invalid_syntax::empty_adjacent_parameter:
      return {ec::bad_syntax, name + " needs a value"};
    case po::invalid_syntax::extra_parameter:
      return {ec::bad_syntax, name + " takes no value"};
    default:
      return {ec::bad_syntax, printable(what.what())};
  }
}

} // namespace

expected<read_result> read_words(const words& all, const command_doc& where) {
  auto taken = where.overrides ? take_overrides(all) : override_words{{}, all};
  if (!taken)
    return taken.error();
  try {
    auto result = sorted(run_boost(taken->rest, where), where);
    if (result)
      result->overrides = std::move(taken->overrides);
    return result;
  } catch (const po::error& fault) {
    return explain(fault, where);
  }
}

std::size_t command_position(const words& all) {
  std::size_t i = 0;
  while (i < all.size() && all[i].size() > 1 && all[i][0] == '-') {
    // An override given as two words.
    bool takes_next = all[i].find('.') != all[i].npos && all[i].find('=') == all[i].npos;
    for (const auto& x : global_options()) {
      bool named = all[i] == "--" + std::string{x.name} || all[i] == std::string{'-', x.letter};
      takes_next = takes_next || (named && !x.argument.empty());
    }
    i += takes_next ? 2 : 1;
  }
  return std::min(i, all.size());
}

std::string did_you_mean(std::string_view given, const words& known, std::string_view before) {
  auto near = nearest_name(given, known);
  return near.empty() ? std::string{} : "; did you mean '" + std::string{before} + near + "'?";
}

std::string in_single_quotes(std::string_view x) {
  return "'" + printable(x) + "'";
}

} // namespace tune::cli

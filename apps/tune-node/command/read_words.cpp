// SPDX-License-Identifier: BSD-3-Clause
#include "command/read_words.hpp"

#include "console/text.hpp"
#include "tune/core/plugin/options.hpp"

#include <boost/program_options.hpp>

#include <algorithm>

namespace tune::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* override_key = "(override)";
constexpr const char* positional_key = "(positional)";

/// "--section.key", with or without "=value".
bool is_override(const std::string& word) {
  auto name = word.substr(0, word.find('='));
  return name.size() > 2 && name.starts_with("--") && name.find('.') != name.npos;
}

/// Takes an override off the front of what is left to read. Boost calls it for each word.
std::vector<po::option> take_override(words& left) {
  if (left.empty() || !is_override(left.front()))
    return {};
  auto word = left.front();
  auto equals = word.find('=');
  auto name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
  std::string content;
  std::ptrdiff_t taken = 1;
  if (equals != word.npos) {
    content = word.substr(equals + 1);
  } else if (left.size() > 1 && !left[1].starts_with("--")) {
    content = left[1];
    taken = 2;
  } else {
    using syntax = po::invalid_command_line_syntax;
    throw syntax{syntax::missing_parameter, name, "--" + name};
  }
  std::vector<po::option> result{{override_key, words{name, content}}};
  result[0].original_tokens.assign(left.begin(), left.begin() + taken);
  left.erase(left.begin(), left.begin() + taken);
  return result;
}

/// An option with an optional value only takes a joined one: `--resume x.ini` names a file.
words with_implicit_values(words all, const command_doc& where) {
  for (auto& word : all) {
    if (word == "--")
      break;
    for (const auto& x : where.options)
      if (!x.implicit.empty() && word == "--" + std::string{x.name})
        word.append("=").append(x.implicit);
  }
  return all;
}

void declare(po::options_description& to, const option_doc& x) {
  auto name = std::string{x.name};
  if (x.letter != 0)
    name += std::string{','} + x.letter;
  if (x.argument.empty())
    to.add_options()(name.c_str(), "");
  else
    to.add_options()(name.c_str(), po::value<std::string>(), "");
}

std::vector<const option_doc*> options_of(const command_doc& where) {
  std::vector<const option_doc*> result;
  for (const auto* all : {&where.options, &global_options()})
    for (const auto& x : *all)
      result.push_back(&x);
  return result;
}

/// Throws Boost's errors.
po::parsed_options run_boost(const words& all, const command_doc& where) {
  po::options_description known;
  for (const auto* x : options_of(where))
    declare(known, *x);
  known.add_options()(positional_key, po::value<words>(), "");
  known.add_options()(override_key, po::value<words>(), "");
  po::positional_options_description positionals;
  positionals.add(positional_key, -1);
  po::command_line_parser parser{with_implicit_values(all, where)};
  parser.options(known).positional(positionals);
  parser.style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing);
  if (where.overrides)
    parser.extra_style_parser(take_override);
  auto result = parser.run();
  result.description = nullptr; // it ends here
  return result;
}

expected<read_result> sorted(const po::parsed_options& from, const command_doc& where) {
  read_result result;
  for (const auto& x : from.options) {
    if (x.string_key == override_key) {
      result.overrides.emplace_back(x.value[0], x.value[1]);
      continue;
    }
    if (x.string_key == positional_key) {
      result.positionals.insert(result.positionals.end(), x.value.begin(), x.value.end());
      continue;
    }
    result.options[x.string_key].push_back(x.value.empty() ? std::string{} : x.value[0]);
  }
  for (const auto* x : options_of(where)) {
    auto given = result.options.find(x->name);
    if (given != result.options.end() && given->second.size() > 1 && !x->argument.empty())
      return error{ec::bad_syntax, "--" + std::string{x->name} + " is given more than once"};
  }
  return result;
}

std::string without_dashes(const std::string& x) {
  return x.substr(std::min(x.find_first_not_of('-'), x.size()));
}

error unknown(const std::string& given, const command_doc& where) {
  auto bare = without_dashes(given);
  if (bare.find('.') != bare.npos && !where.overrides)
    return {ec::unknown_name, "unknown option " + quoted(given) + "; " + std::string{where.name}
                                  + " takes no --section.key"};
  words known;
  for (const auto* x : options_of(where))
    known.emplace_back(x->name);
  return {ec::unknown_name, "unknown option " + quoted(given) + did_you_mean(bare, known, "--")};
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

std::optional<std::string> read_result::text(std::string_view name) const {
  auto i = options.find(name);
  return i == options.end() ? std::nullopt : std::optional{i->second.back()};
}

expected<read_result> read_words(const words& all, const command_doc& where) {
  try {
    return sorted(run_boost(all, where), where);
  } catch (const po::error& fault) {
    return explain(fault, where);
  }
}

std::size_t command_position(const words& all) {
  std::size_t i = 0;
  while (i < all.size() && all[i].size() > 1 && all[i][0] == '-') {
    bool takes_next = is_override(all[i]) && all[i].find('=') == all[i].npos;
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

std::string quoted(std::string_view x) {
  return "'" + printable(x) + "'";
}

} // namespace tune::cli

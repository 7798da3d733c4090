// SPDX-License-Identifier: BSD-3-Clause
#include "command/at_head.hpp"

#include "console/text.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

/// Whether it tells how a client reaches its head.
bool reaches_head(std::string_view name) {
  static const auto all = docs_of(reaching_options<at_head_request>());
  return std::any_of(all.begin(), all.end(), [name](const auto& x) { return x.name == name; });
}

/// Whether it tells where and how the client writes.
bool is_about_writing(std::string_view name) {
  return name == "to" || name == "url" || name == "name";
}

/// Whether it is of no use to the head: where the client writes, and in which colours.
bool is_of_client(std::string_view name) {
  return name == "color" || is_about_writing(name);
}

/// Options as they were given, in one word each.
std::vector<std::string> options_of(const read_result& x, const command_doc& where) {
  std::vector<std::string> result;
  const auto general = global_options_for(where);
  for (const auto* all : {&where.options, &general}) {
    for (const auto& option : *all) {
      auto given = x.options.find(option.name);
      if (given == x.options.end() || reaches_head(option.name) || is_of_client(option.name))
        continue;
      for (const auto& text : given->second)
        result.push_back("--" + std::string{option.name}
                         + (option.argument.empty() ? "" : "=" + text));
    }
  }
  return result;
}

/// Whether the arguments stand where the command wants something else than a directory.
bool have_right_places(const remote_command& what, const command_doc& where) {
  if (where.name == "list")
    return what.experiments.empty() && what.before == words{"experiments"}
           && what.arguments.empty();
  if (!what.before.empty())
    return false;
  const auto& places = where.positionals;
  const auto all_name_experiments
      = std::all_of(places.begin(), places.end(), [](const auto& p) { return p.name == "DIR"; });
  return all_name_experiments ? what.arguments.empty() : what.experiments.size() == 1;
}

/// Whether the word is an option that clients may give, whole: with its value, if it has one.
bool may_be_given(const std::string& word, const command_doc& where) {
  if (!word.starts_with("--"))
    return false;
  const auto end = word.find('=');
  const auto name = word.substr(2, end == word.npos ? end : end - 2);
  if (reaches_head(name) || is_about_writing(name) || name == "help" || name == "help-all"
      || name == "version")
    return false;
  // The head writes no files for clients.
  if (where.name == "plot" && name == "output" && word != "--output=-")
    return false;
  const auto general = global_options_for(where);
  for (const auto* all : {&where.options, &general}) {
    for (const auto& option : *all) {
      if (option.name == name)
        return option.argument.empty() == (end == word.npos) || !option.word.empty();
    }
  }
  return false;
}

} // namespace

bool reaches_head(const option_doc& x) {
  return x.meaning.starts_with("with --head: ") && reaches_head(x.name);
}

expected<std::optional<at_head_request>> at_head_from(const read_result& x,
                                                      const command_doc& where) {
  if (!where.at_head)
    return std::optional<at_head_request>{};
  const auto reaching = reaching_options<at_head_request>();
  if (!reaching.front().is_in(x)) {
    for (const auto& option : reaching) {
      if (option.is_in(x))
        return wrong("--" + std::string{option.doc.name} + " goes with --head", &where);
    }
    return std::optional<at_head_request>{};
  }
  at_head_request result;
  if (auto done = read_options(x, reaching, result, where); !done)
    return done.error();
  result.command.command = where.name;
  result.command.options = options_of(x, where);
  const auto& given = x.positionals;
  const auto names_all = std::all_of(where.positionals.begin(), where.positionals.end(),
                                     [](const auto& p) { return p.name == "DIR"; });
  if (where.name == "list") {
    if (given[0] != "experiments" || given.size() > 1)
      return wrong("a head lists its experiments alone: list experiments --head HOST:PORT", &where);
    result.command.before = given;
  } else if (names_all) {
    result.command.experiments = given;
  } else {
    result.command.experiments = {given.front()};
    result.command.arguments = {given.begin() + 1, given.end()};
  }
  return std::optional{std::move(result)};
}

expected<words> words_at_head(const remote_command& what, const words& directories) {
  const auto* where = find_command(what.command);
  if (where == nullptr || !where->at_head)
    return error{ec::refused, "a head does not carry out '" + printable(what.command) + "'"};
  if (!have_right_places(what, *where))
    return error{ec::refused, "a head does not take these arguments of " + what.command};
  for (const auto& option : what.options) {
    if (!may_be_given(option, *where))
      return error{ec::refused, "a head does not take '" + printable(option) + "'"};
  }
  auto positionals = what.before;
  positionals.insert(positionals.end(), directories.begin(), directories.end());
  positionals.insert(positionals.end(), what.arguments.begin(), what.arguments.end());
  auto result = what.options;
  result.emplace_back("--");
  result.insert(result.end(), positionals.begin(), positionals.end());
  auto read = read_words(result, *where);
  if (!read)
    return error{ec::refused, read.error().detail};
  if (!read->overrides.empty() || read->positionals != positionals)
    return error{ec::refused, "the words of a command are not what they seem to be"};
  return result;
}

} // namespace tune::cli

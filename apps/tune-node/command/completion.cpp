// SPDX-License-Identifier: BSD-3-Clause
#include "command/completion.hpp"

#include "command/command_table.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/keys.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

std::string joined(const std::vector<std::string_view>& xs, std::string_view between) {
  std::string result;
  for (auto x : xs)
    result.append(result.empty() ? "" : between).append(x);
  return result;
}

/// "--dry-run --strict".
std::string option_words(const std::vector<option_doc>& options) {
  std::string result;
  for (const auto& x : options)
    result.append(result.empty() ? "--" : " --").append(x.name);
  return result;
}

std::string command_words() {
  std::vector<std::string_view> names;
  for (const auto& x : commands())
    names.push_back(x.name);
  return joined(names, " ");
}

std::string patterns(const option_doc& x) {
  auto result = "--" + std::string{x.name};
  return x.letter == 0 ? result : result + "|-" + x.letter;
}

/// Whether an option of all commands means something else for this one.
bool is_replaced(std::string_view option, const command_doc& by) {
  auto is_named = [option](const option_doc& x) { return x.name == option; };
  const auto& own = by.options;
  const auto& all = global_options();
  return std::any_of(own.begin(), own.end(), is_named)
         && std::any_of(all.begin(), all.end(), is_named);
}

// bash ------------------------------------------------------------------------------------------

/// "_tune_node": each program needs a function of its own name.
std::string bash_function() {
  auto result = "_" + program_name();
  auto is_odd
      = [](char c) { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9'); };
  std::replace_if(result.begin(), result.end(), is_odd, '_');
  return result;
}

/// The branch that completes the value of one option.
std::string bash_value_branch(const option_doc& x) {
  if (x.argument.empty())
    return {};
  std::string words;
  if (!x.choices.empty())
    words = "COMPREPLY=($(compgen -W '" + joined(x.choices, " ") + "' -- \"$word\")); ";
  else if (x.kind == argument_kind::directory)
    words = "COMPREPLY=($(compgen -d -- \"$word\")); ";
  return "    " + patterns(x) + ") " + words + "return ;;\n";
}

/// Options that mean something else for one command than for all others.
std::string bash_own_branches() {
  std::string result;
  for (const auto& command : commands()) {
    for (const auto& x : command.options) {
      if (!is_replaced(x.name, command))
        continue;
      const auto name = std::string{command.name};
      result += "    '" + name + " --" + std::string{x.name} + "'";
      if (x.letter != 0)
        result += "|'" + name + " -" + x.letter + "'";
      result += ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n";
    }
  }
  return result.empty() ? result : "  case \"$command $before\" in\n" + result + "  esac\n";
}

/// Completes by position: the choices of each positional, or files and directories.
std::string bash_positionals(const command_doc& x) {
  std::string result = "      case $place in\n";
  for (std::size_t i = 0; i < x.positionals.size(); ++i) {
    const auto& p = x.positionals[i];
    result += "        " + std::to_string(i) + ") ";
    if (!p.choices.empty())
      result += "words='" + joined(p.choices, " ") + "' ;;\n";
    else if (p.kind == argument_kind::directory)
      result += "kind=-d ;;\n";
    else if (p.kind == argument_kind::ini_file || p.kind == argument_kind::path)
      result += "kind=-f ;;\n";
    else if (p.name == "COMMAND")
      result += "words='" + command_words() + "' ;;\n";
    else
      result += ";;\n";
  }
  return result + "      esac ;;\n";
}

/// "--experiment.metric --experiment.mode": the keys with a fixed name.
std::string key_words() {
  std::string result;
  for (const auto& key : spec_keys()) {
    if (!key.is_family())
      result += (result.empty() ? "--" : " --") + key.section + "." + key.rule.name;
  }
  return result;
}

std::string bash_script() {
  std::string result = "# bash completion of " + program_name() + "\n" + bash_function() + R"(() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command= words= options= kind= place=0 i
  local keys=')" + key_words()
                       + R"('
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)";
  std::string with_value;
  for (const auto& x : global_options())
    if (!x.argument.empty())
      with_value += (with_value.empty() ? "" : "|") + patterns(x);
  for (const auto& command : commands())
    for (const auto& x : command.options)
      if (!x.argument.empty() && !is_replaced(x.name, command))
        with_value += "|" + patterns(x);
  result += "      " + with_value + "|--*.*) ((i++)) ;;\n";
  result += R"(      -*) ;;
      *) if [ -z "$command" ]; then command=${COMP_WORDS[i]}; else ((place++)); fi ;;
    esac
  done
)";
  result += bash_own_branches() + "  case $before in\n";
  for (const auto& x : global_options())
    result += bash_value_branch(x);
  for (const auto& command : commands())
    for (const auto& x : command.options)
      if (!is_replaced(x.name, command))
        result += bash_value_branch(x);
  result += "  esac\n  case $command in\n    '') words='" + command_words() + "' ;;\n";
  for (const auto& x : commands())
    result += "    " + std::string{x.name} + ")\n      options='" + option_words(x.options) + "'\n"
              + (x.overrides ? "      [[ $word == --?* ]] && options+=\" $keys\"\n" : "")
              + bash_positionals(x);
  result += "  esac\n  case $word in\n    -*) COMPREPLY=($(compgen -W \"$options "
            + option_words(global_options()) + "\" -- \"$word\")) ;;\n";
  return result + R"(    *)
      if [ -n "$kind" ]; then COMPREPLY=($(compgen $kind -- "$word"))
      else COMPREPLY=($(compgen -W "$words" -- "$word")); fi ;;
  esac
}
complete -o filenames -o bashdefault -F )"
         + bash_function() + " " + program_name() + "\n";
}

// zsh -------------------------------------------------------------------------------------------

/// Escapes text for single quotes, and for the brackets of `_arguments`.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (auto c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += std::string{'\\', c};
    else
      result += c;
  }
  return result;
}

std::string zsh_values(const std::vector<std::string_view>& choices, argument_kind kind) {
  if (!choices.empty())
    return "(" + joined(choices, " ") + ")";
  if (kind == argument_kind::directory)
    return "_files -/";
  if (kind == argument_kind::path)
    return "_files";
  return kind == argument_kind::ini_file ? "_files -g \"*.ini\"" : " ";
}

std::string zsh_option(const option_doc& x) {
  auto name = "--" + std::string{x.name};
  auto meaning = "[" + zsh_text(x.meaning) + "]";
  std::string value;
  if (!x.argument.empty())
    value = ":" + zsh_text(x.argument) + ":" + zsh_values(x.choices, x.kind);
  auto join = x.argument.empty() ? "" : "=";
  auto result = " \\\n        '" + name + join + meaning + value + "'";
  if (x.letter != 0)
    result += std::string{" \\\n        '-"} + x.letter + meaning + value + "'";
  return result;
}

std::string zsh_script() {
  std::string result = "#compdef " + program_name()
                       + "\nlocal curcontext=\"$curcontext\" state line\nlocal -A "
                         "opt_args\nlocal -a names\nnames=(\n";
  for (const auto& x : commands())
    result += "  '" + std::string{x.name} + ":" + zsh_text(x.summary) + "'\n";
  std::string general;
  for (const auto& x : global_options())
    general += zsh_option(x);
  result += ")\n_arguments -C" + general + " \\\n        '1: :->command' '*:: :->rest'\n";
  result += "case $state in\n  command) _describe command names ;;\n  rest)\n"
            "    case $words[1] in\n";
  for (const auto& x : commands()) {
    result += "      " + std::string{x.name} + ") _arguments";
    for (const auto& option : global_options_for(x))
      result += zsh_option(option);
    for (const auto& option : x.options)
      result += zsh_option(option);
    for (std::size_t i = 0; i < x.positionals.size(); ++i) {
      const auto& p = x.positionals[i];
      result
          += " \\\n        '" + std::to_string(i + 1) + ": :"
             + (p.name == "COMMAND" ? "(" + command_words() + ")" : zsh_values(p.choices, p.kind))
             + "'";
    }
    result += " ;;\n";
  }
  return result + "    esac ;;\nesac\n";
}

// fish ------------------------------------------------------------------------------------------

std::string fish_text(std::string_view text) {
  std::string result = "'";
  for (auto c : text)
    result += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "'";
}

std::string complete_command() {
  return "complete -c " + program_name();
}

std::string fish_option(const option_doc& x, const std::string& condition) {
  auto result = complete_command() + condition + " -l " + std::string{x.name};
  if (x.letter != 0)
    result += std::string{" -s "} + x.letter;
  if (!x.argument.empty())
    result += " -x";
  if (!x.choices.empty() && !x.argument.empty())
    result += " -a " + fish_text(joined(x.choices, " "));
  else if (x.kind == argument_kind::directory)
    result += " -a '(__fish_complete_directories)'";
  return result + " -d " + fish_text(x.meaning) + "\n";
}

std::string fish_script() {
  std::string result
      = "# fish completion of " + program_name() + "\n" + complete_command() + " -f\n";
  auto first = "not __fish_seen_subcommand_from " + command_words();
  for (const auto& x : commands())
    result += complete_command() + " -n " + fish_text(first) + " -a " + std::string{x.name} + " -d "
              + fish_text(x.summary) + "\n";
  for (const auto& x : global_options()) {
    std::string others;
    for (const auto& command : commands())
      others += is_replaced(x.name, command) ? " " + std::string{command.name} : "";
    result += fish_option(
        x, others.empty() ? "" : " -n " + fish_text("not __fish_seen_subcommand_from" + others));
  }
  for (const auto& x : commands()) {
    auto here = " -n " + fish_text("__fish_seen_subcommand_from " + std::string{x.name});
    for (const auto& option : x.options)
      result += fish_option(option, here);
    for (const auto& p : x.positionals) {
      if (p.name == "COMMAND")
        result += complete_command() + here + " -a " + fish_text(command_words()) + "\n";
      else if (!p.choices.empty())
        result += complete_command() + here + " -a " + fish_text(joined(p.choices, " ")) + "\n";
      else if (p.kind == argument_kind::directory)
        result += complete_command() + here + " -a '(__fish_complete_directories)'\n";
      else if (p.kind == argument_kind::ini_file || p.kind == argument_kind::path)
        result += complete_command() + here + " -F\n";
    }
  }
  return result;
}

} // namespace

std::string completion_script(completion_request::shell shell) {
  switch (shell) {
    case completion_request::shell::bash:
      return bash_script();
    case completion_request::shell::zsh:
      return zsh_script();
    case completion_request::shell::fish:
      return fish_script();
  }
  return {};
}

} // namespace tune::cli

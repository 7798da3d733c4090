// SPDX-License-Identifier: BSD-3-Clause
#include "script_word.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tune {

namespace {

/// The command-line options of an interpreter.
struct interpreter {
  /// Matches with a version, too: "python" includes "python3.12".
  std::string_view name;
  /// Letters of options that replace the script.
  std::string_view instead;
  /// Letters of options whose value is the next word.
  std::string_view with_value;
  /// Letters of options that stand alone.
  std::string_view alone;
};

constexpr std::string_view shell_flags = "aefhiklnprstuvxBCDEHPT";

constexpr std::array<interpreter, 13> interpreters{{
    {"python", "cm", "WX", "bBdEhiIOPqsSuvVx"},
    {"pypy", "cm", "WX", "bBdEhiIOPqsSuvVx"},
    {"sh", "cs", "oO", shell_flags},
    {"bash", "cs", "oO", shell_flags},
    {"dash", "cs", "oO", shell_flags},
    {"ksh", "cs", "oO", shell_flags},
    {"zsh", "cs", "oO", shell_flags},
    {"node", "epi", "rC", ""},
    {"perl", "eEnp", "", "acstTuUvwWX"},
    {"ruby", "eSx", "CErI", "adlsUvwW"},
    {"Rscript", "e", "", ""},
    {"julia", "eEi", "LJtpHC", "qO"},
    {"nodejs", "epi", "rC", ""},
}};

bool is_version(std::string_view x) {
  return x.find_first_not_of("0123456789.") == x.npos;
}

const interpreter* interpreter_of(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  const auto* found
      = std::find_if(interpreters.begin(), interpreters.end(), [&](const interpreter& x) {
          return program.starts_with(x.name) && is_version(program.substr(x.name.size()));
        });
  return found == interpreters.end() ? nullptr : found;
}

enum class option_form { alone, takes_next, unknown };

/// @param word begins with a dash.
option_form form_of(const interpreter& x, std::string_view word) {
  // "--name=value" stands alone; "--name" may or may not take the next word.
  if (word.starts_with("--"))
    return word.size() > 2 && word.find('=') != word.npos ? option_form::alone
                                                          : option_form::unknown;
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (x.with_value.find(word[i]) != word.npos)
      return i + 1 == word.size() ? option_form::takes_next : option_form::alone;
    if (x.instead.find(word[i]) != word.npos || x.alone.find(word[i]) == word.npos)
      return option_form::unknown;
  }
  return word.size() == 1 ? option_form::unknown : option_form::alone;
}

} // namespace

std::string script_of(const std::vector<std::string>& words) {
  const auto* by = words.empty() ? nullptr : interpreter_of(words.front());
  for (std::size_t i = 1; by != nullptr && i < words.size(); ++i) {
    if (!words[i].starts_with('-'))
      return words[i];
    const auto form = form_of(*by, words[i]);
    if (form == option_form::unknown)
      return {};
    i += form == option_form::takes_next ? 1 : 0;
  }
  return {};
}

} // namespace tune

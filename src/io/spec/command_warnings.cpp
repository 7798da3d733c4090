// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/handed_over.hpp"
#include "tune/io/spec/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

namespace tune {

namespace {

/// Whether the word is "$NAME", or "${NAME}" with the braces doubled because single ones mean
/// parameters.
bool is_variable(std::string_view word) {
  if (!word.starts_with('$'))
    return false;
  word.remove_prefix(1);
  if (word.starts_with("{{") && word.ends_with("}}"))
    word = word.substr(2, word.size() - 4);
  auto is_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0
         && std::all_of(word.begin(), word.end(), is_name);
}

/// Whether an unquoted word has a meaning only in a shell.
bool is_for_shell(const command_word& word) {
  static constexpr std::array<std::string_view, 9> whole{
      {"<", "|", "||", "&&", ";", "&", "|&", "2>&1", "&>"}};
  const auto& text = word.text;
  if (text.empty() || !word.bare_first || !word.bare_last)
    return false;
  return std::find(whole.begin(), whole.end(), text) != whole.end() || text.starts_with('>')
         || text.starts_with("2>") || text.starts_with("$(") || is_variable(text);
}

/// The first word that has a meaning only in a shell; conditions of groups are none of the
/// program's.
const command_word* word_for_shell(const std::vector<command_word>& words) {
  auto in_group = false;
  auto in_condition = false;
  for (const auto& x : words) {
    in_group = in_group || (x.bare_first && x.text.starts_with('['));
    in_condition = in_condition || (in_group && x.bare_first && x.text == "if");
    if (!in_condition && is_for_shell(x))
      return &x;
    if (x.bare_last && x.text.ends_with(']'))
      in_group = in_condition = false;
  }
  return nullptr;
}

void warn_of_shell_words(loading& x) {
  const auto words = split_words(x.what.trainable.command);
  if (!words)
    return;
  if (const auto* found = word_for_shell(*words))
    x.warn(x.origin("trainable", "command"),
           "[trainable] command: there is no shell, and the program gets \"" + found->text
               + "\" as it stands; write sh -c '…' around what a shell is to read, or quotes around"
                 " this word if it is meant so");
}

} // namespace

void warn_of_command(loading& x, const command_template& command) {
  warn_of_bare_files(x, "trainable", command.fixed_words());
  warn_of_shell_words(x);
}

void warn_of_unnamed(loading& x) {
  if (!x.space || !x.faults.empty() || x.request.is_record)
    return;
  const auto [named, unnamed, looked_into] = parameters_handed_to(x.what, *x.space);
  if (unnamed.empty() || (named.empty() && looked_into.empty()))
    return;
  std::string all;
  for (const auto& each : unnamed)
    all += (all.empty() ? "" : ", ") + each;
  const auto one = unnamed.size() == 1;
  x.warn(x.origin("space", unnamed.front()),
         "[space] " + all + ": in no command, env. or template, "
             + (named.empty() ? "and " + looked_into + " does not seem to read parameters"
                              : "unlike {" + named.front() + "}")
             + "; unless the program reads " + (one ? "it" : "them")
             + " by itself (TUNE_TRIAL_PARAM_<name>), "
             + (named.empty() ? "all trials run alike"
                              : std::string{one ? "it changes" : "they change"} + " nothing"));
}

} // namespace tune

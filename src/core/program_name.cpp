// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/program_name.hpp"

#include "tune/core/own_words.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/shell_word.hpp"

namespace tune {

namespace {

constexpr std::string_view usual_name = "tune-node";

struct names {
  std::string shown{usual_name};
  std::string called{usual_name};
  /// Options that reach the head; empty: experiments are directories here.
  std::string reaching;
  bool was_called = false;
};

/// Names of this process; global, as argv[0] is.
names& ours() {
  static names result;
  return result;
}

} // namespace

void set_program_name(std::string_view called) {
  auto name = called.substr(called.rfind('/') + 1);
  if (!name.empty())
    ours() = {printable(name), std::string{called}, ours().reaching, true};
}

bool has_command_line() {
  return ours().was_called;
}

std::string_view way_to_resume() {
  return has_command_line() ? "--resume" : "run_options::resume";
}

std::string_view way_to_number() {
  return has_command_line() ? "--experiment.name auto" : "run_options::name(\"auto\")";
}

const std::string& program_name() {
  return ours().shown;
}

const std::string& called_program() {
  return ours().called;
}

std::string program_call(std::string_view words) {
  return shell_word(ours().called).append(words.empty() ? "" : " ").append(words);
}

std::string experiment_words(std::string_view directory) {
  if (ours().reaching.empty())
    return shell_word(directory);
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.remove_suffix(1);
  return shell_word(directory.substr(directory.rfind('/') + 1)) + " " + ours().reaching;
}

void name_experiments_at_head(std::string_view reaching) {
  ours().reaching = reaching;
}

const std::string& words_to_head() {
  return ours().reaching;
}

std::string in_own_name(std::string_view text) {
  std::string result;
  for (;;) {
    auto found = text.find(usual_name);
    result += text.substr(0, found);
    if (found == text.npos)
      return result;
    result += program_name();
    text.remove_prefix(found + usual_name.size());
  }
}

} // namespace tune

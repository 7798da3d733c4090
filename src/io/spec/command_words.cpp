// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/command_words.hpp"

#include "tune/core/space/space.hpp"

#include <unistd.h>

#include <algorithm>

namespace tune {

namespace {

/// Longest word that the kernel accepts (MAX_ARG_STRLEN, less the terminating NUL).
std::size_t longest_word() {
  constexpr std::size_t pages = 32;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) - 1;
}

bool has_nul(const std::string& text) {
  return text.find('\0') != text.npos;
}

/// The first parameter that the command names and whose text has a NUL byte.
std::string cut_short(const command_template& command, const object& config) {
  for (const auto& name : command.names()) {
    const auto* found = find_parameter(config, name);
    if (found != nullptr && has_nul(word_of(*found)))
      return name;
  }
  return {};
}

} // namespace

expected<void> check_words(const command_template& command, const object& config,
                           const command_builtins& builtins) {
  const auto words = command.render(config, builtins);
  if (std::any_of(words.begin(), words.end(), has_nul))
    return error{ec::bad_option, "parameter \"" + cut_short(command, config)
                                     + "\" has a NUL byte, and a word of a command ends there"};
  const auto too_long = [](const std::string& x) { return x.size() > longest_word(); };
  if (std::none_of(words.begin(), words.end(), too_long))
    return {};
  const auto [name, size] = longest_parameter(command, config);
  return error{ec::bad_option, "parameter \"" + name + "\" has " + std::to_string(size)
                                   + " bytes, and Linux takes at most "
                                   + std::to_string(longest_word())
                                   + " in one word of a command: let the program read"
                                     " {params_file}"};
}

std::pair<std::string, std::size_t> longest_parameter(const command_template& command,
                                                      const object& config) {
  std::pair<std::string, std::size_t> result;
  for (const auto& name : command.names()) {
    const auto* found = find_parameter(config, name);
    const auto size = found == nullptr ? 0 : word_of(*found).size();
    if (size > result.second)
      result = {name, size};
  }
  return result;
}

} // namespace tune

/// A node in a process of its own, and helpers that read /proc.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/processes.hpp"

#include <sys/types.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tune {

/// Contents of a file below /proc; as much as could be read if the process ends meanwhile.
inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream result;
  result << in.rdbuf();
  return result.str();
}

/// State of a process: 'R' running, 'S' sleeping, 'T' stopped, 'Z' zombie, …; ' ' if there is no
/// such process.
inline char state_of(pid_t pid) {
  auto text = contents("/proc/" + std::to_string(pid) + "/stat");
  auto at = text.rfind(") ");
  return at != text.npos ? text[at + 2] : ' ';
}

inline bool is_alive(pid_t pid) {
  return state_of(pid) != ' ' && state_of(pid) != 'Z';
}

/// A node in a process of its own that tests can kill.
struct dying_node {
  std::string tag;
  FILE* output;

  explicit dying_node(const std::string& name, const std::string& script, int grace_ms)
      : dying_node{support::unique_tag(name), script, grace_ms, {}} {}
  /// A node with the given tag.
  dying_node(std::string its_tag, const std::string& script)
      : dying_node{std::move(its_tag), script, 100, {}} {}
  dying_node(std::string its_tag, const std::string& script, int grace_ms, std::monostate)
      : tag{std::move(its_tag)}
      , output{::popen(("exec " TUNE_FAKE_TRAINABLE " node " + tag + " " + std::to_string(grace_ms)
                        + " " + script)
                           .c_str(),
                       "r")} {}
  ~dying_node() { ::pclose(output); }

  /// The number after `word`, which stands on a line of its own.
  pid_t read(const std::string& word) const {
    std::array<char, 256> line{};
    while (::fgets(line.data(), line.size(), output) != nullptr) {
      std::string_view text{line.data()};
      if (text.starts_with(word + " "))
        return std::atoi(line.data() + word.size() + 1);
    }
    return 0;
  }
};

/// @returns the parent of a process; for a guard that is its node.
inline pid_t parent_of(pid_t pid) {
  auto text = contents("/proc/" + std::to_string(pid) + "/stat");
  return std::atoi(text.c_str() + text.rfind(") ") + 4);
}

} // namespace tune

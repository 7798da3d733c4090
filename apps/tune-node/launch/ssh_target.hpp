/// The machines that are reached by ssh.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::cli {

/// A machine as OpenSSH knows it: a name, an address, or an alias of its configuration.
struct ssh_target {
  /// As the user wrote it.
  std::string text;
  /// Empty: as the configuration of ssh says.
  std::string user;
  std::string host;
  /// 0: as the configuration of ssh says.
  std::uint16_t port = 0;

  friend bool operator==(const ssh_target&, const ssh_target&) = default;
};

/// Reads "a,b:2222,user@c,[::1]:22".
/// @errors `ec::bad_option`, naming the part: nothing between commas, a port that is none, a
///         machine that is named twice, a name that ssh would take for an option or that has
///         spaces.
[[nodiscard]] expected<std::vector<ssh_target>> ssh_targets_from(const std::string& text);

/// What the nodes are called: the hosts' names as far as they are names of nodes, each once.
[[nodiscard]] std::vector<std::string> node_names_of(const std::vector<ssh_target>& targets);

/// The words of a call of ssh that runs one command.
/// @param ssh     The program and its first options. [not empty]
/// @param options Further options of this call.
[[nodiscard]] std::vector<std::string> ssh_words(const std::vector<std::string>& ssh,
                                                 const ssh_target& whom,
                                                 const std::vector<std::string>& options,
                                                 const std::string& command);

} // namespace tune::cli

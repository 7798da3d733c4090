/// The words of a `run` command, for lines that repeat it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/io/spec/load.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune::cli {

/// The words of `what` after file and head: the own options of its command, all parts of the
/// configuration that the command line and the environment set, except the experiment's name, and
/// `--strict`. Not quoted for a shell.
///
/// @param environment of the process, from which `loaded` took values. Its variables are repeated,
///         as they may have been set for one command only.
[[nodiscard]] std::vector<std::string>
words_given(const run_request& what, const loaded_spec& loaded,
            const std::map<std::string, std::string>& environment);

/// Options by which others reach a port with these certificates: `--certs`, `--cluster NAME` as
/// `name_option`, `--insecure-plaintext`; quoted for a shell, each after a blank.
[[nodiscard]] std::string reaching_words(const std::string& certs, const std::string& cluster,
                                         bool plain, const std::string& name_option);

/// The address at which others reach a listener: this machine's name if it listens at all of its
/// addresses.
[[nodiscard]] peer_address reachable(peer_address where);

} // namespace tune::cli

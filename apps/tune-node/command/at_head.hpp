/// Commands about an experiment that a head carries out: `--head HOST:PORT NAME` in the place of a
/// directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/bound_option.hpp"
#include "command/command_docs.hpp"
#include "command/command_line.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

#include <optional>
#include <vector>

namespace tune::cli {

/// `--head` and what belongs to it, for commands that name experiments. The first is `--head`.
template <class Request>
[[nodiscard]] bound_options<Request> reaching_options() {
  return {bound({"head", 0, "HOST:PORT", "ask the head there; DIR is an experiment's name then"},
                &Request::head, head_addresses_from),
          bound({"certs",
                 0,
                 "DIR",
                 "with --head: certificate directory",
                 {},
                 default_certs,
                 argument_kind::directory},
                &Request::certs),
          bound({"insecure-plaintext", 0, "", "with --head: no TLS; loopback addresses only"},
                &Request::insecure_plaintext),
          bound({"cluster", 0, "NAME", "with --head: name of the cluster", {}, "default"},
                &Request::cluster)};
}
/// Whether the usage line of a command leaves this option out: it says how the head of `--head` is
/// reached.
[[nodiscard]] bool reaches_head(const option_doc& x);

/// The request to have a head carry the command out; nothing if it names no head.
/// @param x Words of a valid command.
/// @errors a wrong command line.
[[nodiscard]] expected<std::optional<at_head_request>> at_head_from(const read_result& x,
                                                                    const command_doc& where);

/// The words behind a command's name by which a head carries it out for a client. They are read
/// back as the command would read them: every option is one that clients may give, and every
/// directory is one of `directories`.
/// @param directories The experiments of `what`, in the head's storage; for `list` the storage.
/// @errors `ec::refused` for anything else.
[[nodiscard]] expected<words> words_at_head(const remote_command& what, const words& directories);

} // namespace tune::cli

/// What a client and a standing head say to each other, as values.
///
/// They travel as JSON texts, as the first words of workers do (tune/net/hello.hpp): unknown fields
/// are ignored, missing ones are named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/io/spec/resume_mode.hpp"
#include "tune/net/hello.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A client introduces itself at a head's node registry, where workers do. It is answered as they
/// are.
struct client_hello {
  build_identity build;
  /// Name of the cluster that it means.
  std::string cluster;
  /// Who it is, for people: "me@laptop".
  std::string name;

  friend bool operator==(const client_hello&, const client_hello&) = default;
};

[[nodiscard]] std::string to_json(const client_hello& x);
/// Nothing where the text is no client's: a worker's.
/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<std::optional<client_hello>> client_hello_from_json(std::string_view text);

/// Whether a head of `build` and `cluster` may listen to `who`.
/// @errors `ec::refused`, naming what differs on both sides.
[[nodiscard]] expected<void> may_submit(const client_hello& who, const build_identity& build,
                                        const std::string& cluster);

/// What a head says of an experiment whose name it has running; a client adds how to follow it.
inline constexpr std::string_view runs_already = " runs at the head already";

/// An experiment for a head. Its record and files are in the client's package server.
struct submission_message {
  std::string experiment;
  /// What the package server calls it.
  std::string job;
  /// Who submits it, for people.
  std::string from;
  /// Go on where there is one already, and how; nothing: begin.
  std::optional<resume_mode> resume;
  /// Nothing: the head decides.
  std::optional<bool> queue_trials;
  /// The form of all trials that is wanted at the end: "csv", "jsonl"; empty: none.
  std::string rows;
  /// The head gives the name a number that is free: "x", "x-2", …; where it goes on, the newest.
  bool numbered = false;
  /// Nothing is submitted: it is about the experiment of that name that runs.
  bool attaches = false;
  /// Nobody chose the type of the searcher: an experiment that goes on keeps the one that it has.
  bool usual_searcher = false;
  /// The options of the searcher that were written all the same: they must be those that it has.
  std::vector<std::string> search_options{};

  friend bool operator==(const submission_message&, const submission_message&) = default;
};

[[nodiscard]] std::string to_json(const submission_message& x);
[[nodiscard]] expected<submission_message> submission_message_from_json(std::string_view text);

/// The experiment runs, or is finished already.
struct submission_taken {
  /// What questions call it.
  std::uint64_t key = 0;
  /// On the head.
  std::string directory;
  /// Trials there will be; nothing: nobody knows.
  std::optional<std::uint64_t> planned;
  /// Its name there; empty: an older head, which gives none.
  std::string experiment = {};
  /// What it optimises; empty likewise.
  std::vector<objective> objectives = {};

  friend bool operator==(const submission_taken&, const submission_taken&) = default;
};

[[nodiscard]] std::string to_json(const submission_taken& x);
/// Something was refused.
[[nodiscard]] std::string to_json(const error& x);
/// @errors what the head refused it with, or as above.
[[nodiscard]] expected<submission_taken> submission_taken_from_json(std::string_view text);

/// What is asked about an experiment that was taken.
struct client_request {
  enum class kind : std::uint8_t {
    /// Its state and what happened after the event `from`.
    state,
    /// Leave off in order.
    interrupt,
    /// The trials' rows from byte `from`.
    rows,
  };
  kind what = kind::state;
  std::uint64_t key = 0;
  std::uint64_t from = 0;
  /// In which form rows are wanted; empty: as the submission said.
  std::string rows = {};

  friend bool operator==(const client_request&, const client_request&) = default;
};

[[nodiscard]] std::string to_json(const client_request& x);
[[nodiscard]] expected<client_request> client_request_from_json(std::string_view text);

/// A command line that the head carries out for a client, about experiments in its storage. Every
/// text is as it was typed; the head checks what it allows.
struct remote_command {
  /// Such as "status".
  std::string command;
  /// Names of experiments, as the command's directories. May be empty: the whole storage.
  std::vector<std::string> experiments;
  /// Options of the command, each beginning with "--".
  std::vector<std::string> options;
  /// Arguments that stand before the experiments, and behind them.
  std::vector<std::string> before = {};
  std::vector<std::string> arguments = {};
  /// What the client's program is called, and the options by which it reaches the head, quoted for
  /// a shell: for command lines that the answer shows.
  std::string program = {};
  std::string reaching = {};
  /// Columns of the client's terminal; 0: none.
  std::uint64_t columns = 0;

  friend bool operator==(const remote_command&, const remote_command&) = default;
};

[[nodiscard]] std::string to_json(const remote_command& x);
/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<remote_command> remote_command_from_json(std::string_view text);

/// A piece of the trials' rows.
struct rows_piece {
  std::string text;
  /// Whether it was the last.
  bool last = false;

  friend bool operator==(const rows_piece&, const rows_piece&) = default;
};

[[nodiscard]] std::string to_json(const rows_piece& x);
[[nodiscard]] expected<rows_piece> rows_piece_from_json(std::string_view text);

/// The piece of `all` that begins at `from`; never a part of a character.
/// @param most Bytes. [>= 4]
[[nodiscard]] rows_piece piece_of(std::string_view all, std::uint64_t from, std::size_t most);

} // namespace tune

/// Messages between a client and a standing head, as values.
///
/// They travel as JSON texts, as do the first messages of workers (tune/net/hello.hpp): unknown
/// fields are ignored, missing ones are named.
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

/// Introduction of a client at a head's node registry, where workers introduce themselves, too. The
/// answer is the same as for them.
struct client_hello {
  build_identity build;
  /// Name of the cluster that the client expects.
  std::string cluster;
  /// Name of the client for people: "me@laptop".
  std::string name;

  friend bool operator==(const client_hello&, const client_hello&) = default;
};

[[nodiscard]] std::string to_json(const client_hello& x);
/// @returns empty if the text is not a client's but a worker's.
/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<std::optional<client_hello>> client_hello_from_json(std::string_view text);

/// Whether a head of `build` and `cluster` may serve `who`.
/// @errors `ec::refused`, naming what differs on both sides.
[[nodiscard]] expected<void> may_submit(const client_hello& who, const build_identity& build,
                                        const std::string& cluster);

/// Text of a head's refusal if an experiment of that name runs; clients add how to follow it.
inline constexpr std::string_view runs_already = " runs at the head already";

/// An experiment for a head. The client's package server has its record and files.
struct submission_message {
  std::string experiment;
  /// Id of the job at the package server.
  std::string job;
  /// Name of the submitter, for people.
  std::string from;
  /// How to go on with an existing experiment; empty: begin a new one.
  std::optional<resume_mode> resume;
  /// Empty: the head decides.
  std::optional<bool> queue_trials;
  /// Format in which the rows of all trials are wanted at the end: "csv", "jsonl"; empty: none.
  std::string rows;
  /// The head adds a free number to the name: "x", "x-2", …; when it goes on, it takes the newest.
  bool numbered = false;
  /// Nothing is submitted: the message asks for the running experiment of that name.
  bool attaches = false;
  /// No type of searcher was chosen: an experiment that goes on keeps the one that it has.
  bool usual_searcher = false;
  /// Options of the searcher that were written nevertheless: they must match its own.
  std::vector<std::string> search_options{};
  /// Configurations to be tried besides, as JSON: one, or a list of them; empty: none. Only where
  /// it goes on.
  std::string add = {};
  /// By this a head that comes to them a second time knows them again.
  std::string add_key = {};

  friend bool operator==(const submission_message&, const submission_message&) = default;
};

[[nodiscard]] std::string to_json(const submission_message& x);
[[nodiscard]] expected<submission_message> submission_message_from_json(std::string_view text);

/// Answer: the experiment runs, or is finished already.
struct submission_taken {
  /// Key that questions about the experiment use.
  std::uint64_t key = 0;
  /// Directory on the head.
  std::string directory;
  /// Number of trials planned; empty: unknown.
  std::optional<std::uint64_t> planned;
  /// Name at the head; empty: an older head, which sends none.
  std::string experiment = {};
  /// Objectives; empty for an older head.
  std::vector<objective> objectives = {};
  /// If the head dies: how long one may take its place. See `liveness_rules`. [milliseconds]
  std::int64_t head_grace_ms = 0;

  friend bool operator==(const submission_taken&, const submission_taken&) = default;
};

[[nodiscard]] std::string to_json(const submission_taken& x);
/// Answer of a head that refuses something.
[[nodiscard]] std::string to_json(const error& x);
/// @errors the head's refusal, or as above.
[[nodiscard]] expected<submission_taken> submission_taken_from_json(std::string_view text);

/// A question or order about an experiment that was taken.
struct client_request {
  enum class kind : std::uint8_t {
    /// Its state, and what happened after the event `from`.
    state,
    /// An order to leave off in order.
    interrupt,
    /// Rows of the trials from byte `from` on.
    rows,
  };
  kind what = kind::state;
  std::uint64_t key = 0;
  std::uint64_t from = 0;
  /// Format of the rows; empty: as in the submission.
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

/// Whether the command lasts as long as what it follows: `wait`, `logs --follow`.
[[nodiscard]] bool is_lasting(const remote_command& x);

/// A piece of the trials' rows.
struct rows_piece {
  std::string text;
  /// True for the last piece.
  bool last = false;

  friend bool operator==(const rows_piece&, const rows_piece&) = default;
};

[[nodiscard]] std::string to_json(const rows_piece& x);
[[nodiscard]] expected<rows_piece> rows_piece_from_json(std::string_view text);

/// The piece of `all` that begins at `from`; never splits a character.
/// @param most Bytes. [>= 4]
[[nodiscard]] rows_piece piece_of(std::string_view all, std::uint64_t from, std::size_t most);

} // namespace tune

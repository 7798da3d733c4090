/// The lines that a trial process and its node exchange; see docs/command-protocol.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"
#include "tune/trainable/drive.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tune {

/// The messages that a program may write on its report descriptor.
namespace line {

/// `{"tune":1}`: the program speaks this protocol and has finished its setup (and restored its
/// state).
struct hello {
  /// Whether the program obeys `save` and `pause`; empty if it does not say.
  std::optional<bool> can_save;
};
/// `{"metrics":{…}}`, with `"checkpoint":"dir"` if the program hands one over.
struct report {
  object metrics;
  /// True for the program's last report: `"done":true`, among the metrics or beside them.
  bool done = false;
  std::optional<std::filesystem::path> checkpoint;
};
/// `{"saved":"dir"}`: the checkpoint that an answer asked for is written.
struct saved {
  std::filesystem::path directory;
};
/// `{"save_failed":"dir","error":"why"}`: the checkpoint is not written, and the program goes on
/// training. With `"can_save":false` it need not be asked again.
struct save_failed {
  std::filesystem::path directory;
  std::string why;
  bool unable = false;
};
/// `{"error":"text"}`: why the program is about to fail; `"restore":true`: the checkpoint is at
/// fault.
struct failure {
  std::string text;
  bool restore = false;
};
/// `{"exporting":true}`: training is over; the program exports from now on.
struct exporting {};
/// `{"export_failed":"format","error":"why"}`: the export in this format failed.
struct export_failed {
  std::string format;
  std::string why;
};
/// An empty line.
struct nothing {};

using any
    = std::variant<nothing, hello, report, saved, save_failed, failure, exporting, export_failed>;

} // namespace line

/// Reads one line of the report descriptor. Unknown fields are ignored; bare NaN, Infinity and
/// -Infinity, which some JSON writers produce, are read as numbers.
/// @errors `ec::protocol` saying what is wrong and quoting the beginning of the line.
[[nodiscard]] expected<line::any> read_report_line(std::string_view text);

/// The error for a line that is too long and of which only the beginning was kept. @errors
/// `ec::protocol`, always.
[[nodiscard]] expected<line::any> too_long_report_line(std::string_view beginning);

/// Formats a message as a line, without newline.
[[nodiscard]] std::string to_line(const line::any& what);

/// `{"decision":"continue"}`, `{"decision":"save","dir":"…"}` and so on, without newline.
[[nodiscard]] std::string to_line(const link_answer& what);

/// Reads one line of the answer descriptor. @errors `ec::protocol`.
[[nodiscard]] expected<link_answer> read_answer_line(std::string_view text);

} // namespace tune

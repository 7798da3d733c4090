/// The lines that a trial process and its node say to each other; see docs/command-protocol.md.
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

/// What a program may write on its report descriptor.
namespace line {

/// `{"tune":1}`: it speaks this protocol, and has set up (and restored) what it needs.
struct hello {
  /// Whether it obeys `save` and `pause`; nothing where it does not say.
  std::optional<bool> can_save;
};
/// `{"metrics":{…}}`, with `"checkpoint":"dir"` where it hands one over.
struct report {
  object metrics;
  /// It says that this is its last report: `"done":true`, among the metrics or beside them.
  bool done = false;
  std::optional<std::filesystem::path> checkpoint;
};
/// `{"saved":"dir"}`: what an answer asked for is written.
struct saved {
  std::filesystem::path directory;
};
/// `{"save_failed":"dir","error":"why"}`: it is not, and the program trains on. With
/// `"can_save":false` it need not be asked again.
struct save_failed {
  std::filesystem::path directory;
  std::string why;
  bool unable = false;
};
/// `{"error":"text"}`: why it is about to fail; `"restore":true`: the checkpoint is at fault.
struct failure {
  std::string text;
  bool restore = false;
};
/// `{"exporting":true}`: it trains no longer, and exports from now on.
struct exporting {};
/// `{"export_failed":"format","error":"why"}`: this format will not be there.
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

/// What is wrong with a line of which only the beginning was kept. @errors `ec::protocol`, always.
[[nodiscard]] expected<line::any> too_long_report_line(std::string_view beginning);

/// The line of a message, without newline.
[[nodiscard]] std::string to_line(const line::any& what);

/// `{"decision":"continue"}`, `{"decision":"save","dir":"…"}` and so on, without newline.
[[nodiscard]] std::string to_line(const link_answer& what);

/// Reads one line of the answer descriptor. @errors `ec::protocol`.
[[nodiscard]] expected<link_answer> read_answer_line(std::string_view text);

} // namespace tune

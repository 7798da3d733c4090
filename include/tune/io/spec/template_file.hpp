/// Files that are written for each trial from a template: `template = model.toml.in -> model.toml`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/text_template.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A pair of `[trainable] template`.
struct template_pair {
  /// Relative to the INI's directory.
  std::string from;
  /// Relative to the trial's directory; normalised, without "..".
  std::string to;
  friend bool operator==(const template_pair&, const template_pair&) = default;
};

/// Reads "a.in -> a.toml, b.in -> sub/b.nml"; quotes as in sh.
/// @errors `ec::bad_syntax`; `ec::bad_option` for a target outside the trial's directory, a name
///         there that the runtime uses, or a duplicate.
[[nodiscard]] expected<std::vector<template_pair>> parse_template_pairs(std::string_view text);
[[nodiscard]] std::string template_pairs_text(const std::vector<template_pair>& pairs);

/// A parsed template. Immutable.
class template_file {
public:
  /// Maximum size of a template.
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;
  /// Maximum size of a file made from it.
  static constexpr std::size_t most_made_bytes = 64 * 1024 * 1024;

  /// @param from   The file.
  /// @param known  Dotted names of the parameters.
  /// @errors `ec::unreadable`; `ec::bad_option` if it is too large or not a regular file;
  ///         `ec::unknown_name`, with the line: see `text_template::parse`.
  [[nodiscard]] static expected<template_file>
  load(const std::filesystem::path& from, std::string to, const std::vector<std::string>& known);

  /// Target relative to the trial's directory.
  [[nodiscard]] const std::string& to() const { return to_; }
  /// Whether the file gets execute permission, as the template has it.
  [[nodiscard]] bool is_program() const { return is_program_; }

  /// The content for one configuration. Lines that name an inactive parameter are left out.
  /// @errors `ec::refused` if it would have more than `most_made_bytes`.
  [[nodiscard]] expected<std::string> render(const object& config,
                                             const command_builtins& builtins) const;

private:
  std::string to_;
  bool is_program_ = false;
  /// Lines with their terminators.
  std::vector<text_template> lines_;
};

} // namespace tune

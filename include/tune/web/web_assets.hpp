/// The dashboard's files, as they lie in the program.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <span>
#include <string_view>

namespace tune::web {

/// One file of the dashboard. All views live as long as the program.
struct asset {
  /// Where it is served, without a slash in front: `index.html`, `assets/<hash>/app.js`.
  std::string_view path;
  /// Its media type, with the charset of texts.
  std::string_view mime;
  /// SHA-256 of `bytes`. [64 lower-case hexadecimal digits]
  std::string_view hash;
  std::string_view bytes;
  /// `bytes` in gzip's format, for clients that accept it.
  std::string_view gzipped;
  /// Whether its path changes with its content: clients may keep it for ever.
  bool immutable = false;
};

/// All files of the dashboard; `index.html` is what `/` shows. Empty where the program was built
/// without it.
[[nodiscard]] std::span<const asset> web_assets();

} // namespace tune::web

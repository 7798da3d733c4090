/// The jobs of a package server, and the contents that they need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tune {

/// Index of jobs and the places of their contents. For use by one thread.
class package_index {
public:
  struct job {
    job_offer what;
    /// The manifest, which is a content, too.
    std::string manifest;
    std::string manifest_hash;
  };

  /// Adds a job; replaces one with the same id.
  /// @errors `ec::bad_option`.
  [[nodiscard]] expected<void> add(job_offer what);
  void remove(const std::string& id);
  /// @returns null if there is none; valid until `add` or `remove`.
  [[nodiscard]] const job* find(const std::string& id) const;

  struct piece {
    std::string bytes;
    bool last = false;
  };
  /// Reads a piece of a content that some job needs.
  /// @errors `ec::refused` for a content that no job needs, or a bad range; `ec::unreadable`, also
  /// for a file that has changed.
  [[nodiscard]] expected<piece> read(const chunk_request& what) const;

private:
  /// Where a content is found: a file of a job, or its manifest.
  struct source {
    const job* from;
    std::size_t file;
  };
  static constexpr std::size_t manifest_itself = static_cast<std::size_t>(-1);

  std::map<std::string, std::unique_ptr<job>> jobs_;
  std::unordered_map<std::string, std::vector<source>> sources_;

  static expected<piece> read_from(const source& where, const chunk_request& what);
};

} // namespace tune

/// This program with the libraries that it needs, as it goes to other machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The running program and the shared libraries that are loaded, except those of the C library,
/// which have to fit the other machine's kernel and configuration. It finds them at
/// `../lib/tune-node` from where it lies. For any thread.
class program_bundle {
public:
  /// @errors `ec::unreadable`.
  [[nodiscard]] static expected<program_bundle> of_this_program();

  /// Tells one content from others. [64 hex digits]
  [[nodiscard]] const std::string& hash() const { return hash_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// A tar archive with all of it; written when it is first asked for. @param below A directory
  /// that exists. @errors `ec::storage`, `ec::unreadable`.
  [[nodiscard]] expected<std::filesystem::path> archive(const std::filesystem::path& below);

private:
  struct part {
    std::string name;
    std::filesystem::path file;
    std::uint64_t size = 0;
  };

  std::vector<part> parts_;
  std::string hash_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::optional<expected<std::filesystem::path>> written_;

  [[nodiscard]] expected<std::filesystem::path> write(const std::filesystem::path& below) const;
};

/// Whether a shared library belongs to the C library: `libc.so.6`, `ld-linux-x86-64.so.2`.
[[nodiscard]] bool is_of_c_library(const std::string& file_name);

} // namespace tune::cli

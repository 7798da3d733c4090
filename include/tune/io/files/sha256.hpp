/// SHA-256, as the bytes come.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st; // OpenSSL's, whose headers stay out of ours

namespace tune {

/// Hashes bytes piece by piece. For one thread.
class sha256 {
public:
  sha256();

  void update(std::string_view bytes);
  /// The hash of all bytes since the last call, which it forgets. [64 lower-case hex digits]
  ///
  /// Empty, and so equal to no hash, where the OpenSSL of this machine offers no SHA-256.
  [[nodiscard]] std::string finish();

private:
  struct end_of_context {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, end_of_context> context_;
  bool good_ = false;

  void begin();
};

/// The hash of a text.
[[nodiscard]] std::string sha256_of(std::string_view bytes);

/// Whether `text` looks like one of our hashes: 64 lower-case hex digits.
[[nodiscard]] bool is_sha256(std::string_view text);

/// A file's content in short.
struct file_digest {
  std::uint64_t size = 0;
  std::string hash;
};

/// Reads a regular file through, with bounded memory. Symbolic links are followed; it never waits
/// for a pipe's writer.
/// @errors `ec::unreadable`, also for what is no regular file; `ec::shortage` where there is no
///         descriptor for it now.
[[nodiscard]] expected<file_digest> digest_file(const std::filesystem::path& file);

/// The same in slices.
/// @param most It is given up where the file turns out to be longer. [bytes]
/// @param so_far Grows by what is read, slice by slice; null: nobody looks. Outlives the work.
/// @errors also `ec::refused` for what is longer.
sliced<expected<file_digest>> digesting(std::filesystem::path file, std::uint64_t most,
                                        std::uint64_t* so_far = nullptr);

} // namespace tune

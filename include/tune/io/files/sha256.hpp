/// Incremental SHA-256.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st; // from OpenSSL, whose headers are not included here

namespace tune {

/// Hashes bytes piece by piece. For use by one thread.
class sha256 {
public:
  sha256();

  void update(std::string_view bytes);
  /// Returns the hash of all bytes since the last call, and starts anew. [64 lower-case hex digits]
  ///
  /// Empty, and so equal to no hash, if this machine's OpenSSL has no SHA-256.
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

/// Whether `text` has the form of a hash: 64 lower-case hex digits.
[[nodiscard]] bool is_sha256(std::string_view text);

/// Size and hash of a file's content.
struct file_digest {
  std::uint64_t size = 0;
  std::string hash;
};

/// Reads a whole regular file, with bounded memory. Symbolic links are followed; never waits for
/// the writer of a named pipe.
/// @errors `ec::unreadable`, also if it is not a regular file; `ec::shortage` if no descriptor is
///         available now.
[[nodiscard]] expected<file_digest> digest_file(const std::filesystem::path& file);

/// `digest_file` in slices.
/// @param most Size limit; gives up if the file turns out to be longer. [bytes]
/// @param so_far Increased by the bytes read in each slice; may be null. Must outlive the work.
/// @errors also `ec::refused` for a longer file.
sliced<expected<file_digest>> digesting(std::filesystem::path file, std::uint64_t most,
                                        std::uint64_t* so_far = nullptr);

} // namespace tune

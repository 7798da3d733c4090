/// Writes a tar archive (pax) with libarchive.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <archive.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tune::cli {

/// Gets bytes as they come. @returns whether more is wanted.
using byte_taker = std::function<bool(std::string_view)>;

/// A tar archive that is written. Functions return whether that went well; if not, either no more
/// is wanted, or `why` tells what is wrong.
class archive_writer {
public:
  /// @param to Outlives this object.
  explicit archive_writer(const byte_taker& to);
  archive_writer(const archive_writer&) = delete;
  archive_writer& operator=(const archive_writer&) = delete;
  ~archive_writer() { is_wanted_ = false; }

  /// Begins an entry.
  [[nodiscard]] bool begin(::archive_entry* what);
  /// Writes the next bytes of its content.
  [[nodiscard]] bool write(std::string_view bytes);
  /// Writes a hole, which the entry has to know.
  [[nodiscard]] bool skip(::off_t size);
  /// Ends the entry; zeros fill it up if its content was shorter.
  [[nodiscard]] bool end();
  [[nodiscard]] bool close();

  [[nodiscard]] bool is_wanted() const { return is_wanted_; }
  [[nodiscard]] std::string why() const;

private:
  struct closing {
    void operator()(::archive* x) const { ::archive_write_free(x); }
  };
  struct freeing {
    void operator()(char* x) const;
  };

  const byte_taker& to_;
  bool is_wanted_ = true;
  std::unique_ptr<char, freeing> zeros_;
  std::unique_ptr<::archive, closing> archive_{::archive_write_new()};

  static ::la_ssize_t on_bytes(::archive* from, void* self, const void* data, std::size_t size);
};

} // namespace tune::cli

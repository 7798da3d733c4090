// SPDX-License-Identifier: BSD-3-Clause
#include "client/archive_writer.hpp"

#include <algorithm>
#include <cstdlib>

namespace tune::cli {

namespace {

/// [bytes]
constexpr std::size_t archive_block_size = 256 * 1024;
/// Length of a hole that is told to libarchive at a time. It skips these bytes unread. [bytes]
constexpr std::size_t zeros_size = 64 * 1024 * 1024;

/// A warning means that a name needs a header of its own, for example.
bool has_gone_well(int status) {
  return status == ARCHIVE_OK || status == ARCHIVE_WARN;
}

} // namespace

archive_writer::archive_writer(const byte_taker& to) : to_{to} {
  auto* all = archive_.get();
  ::archive_write_set_format_pax_restricted(all);
  // Names are bytes, in whatever language.
  ::archive_write_set_format_option(all, "pax", "hdrcharset", "BINARY");
  ::archive_write_set_bytes_per_block(all, archive_block_size);
  ::archive_write_set_bytes_in_last_block(all, 1);
  ::archive_write_open(all, this, nullptr, on_bytes, nullptr);
}

bool archive_writer::begin(::archive_entry* what) {
  return has_gone_well(::archive_write_header(archive_.get(), what));
}

bool archive_writer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto done = ::archive_write_data(archive_.get(), bytes.data(), bytes.size());
    if (done <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool archive_writer::skip(::off_t size) {
  // Memory that is never touched takes no room.
  if (size > 0 && !zeros_)
    zeros_.reset(static_cast<char*>(std::calloc(zeros_size, 1))); // NOLINT
  while (size > 0) {
    const auto count = std::min<::off_t>(size, zeros_size);
    if (!zeros_ || !write({zeros_.get(), static_cast<std::size_t>(count)}))
      return false;
    size -= count;
  }
  return true;
}

bool archive_writer::end() {
  return has_gone_well(::archive_write_finish_entry(archive_.get()));
}

bool archive_writer::close() {
  return has_gone_well(::archive_write_close(archive_.get()));
}

std::string archive_writer::why() const {
  const auto* text = ::archive_error_string(archive_.get());
  return text == nullptr ? "cannot be packed" : text;
}

void archive_writer::freeing::operator()(char* x) const {
  std::free(x); // NOLINT
}

::la_ssize_t archive_writer::on_bytes(::archive*, void* self, const void* data, std::size_t size) {
  auto& own = *static_cast<archive_writer*>(self);
  own.is_wanted_ = own.is_wanted_ && own.to_({static_cast<const char*>(data), size});
  return own.is_wanted_ ? static_cast<::la_ssize_t>(size) : -1;
}

} // namespace tune::cli

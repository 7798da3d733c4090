// The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
// SPDX-License-Identifier: BSD-3-Clause
#include "wal_check.hpp"

#include "posix/posix.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune::store {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::uint32_t magic = 0x377f0682;
constexpr std::uint32_t format_version = 3'007'000;

using bytes = std::span<const unsigned char>;

std::uint32_t big_endian(bytes from, std::size_t at) {
  return std::uint32_t{from[at]} << 24 | std::uint32_t{from[at + 1]} << 16
         | std::uint32_t{from[at + 2]} << 8 | from[at + 3];
}

std::uint32_t little_endian(bytes from, std::size_t at) {
  return std::uint32_t{from[at + 3]} << 24 | std::uint32_t{from[at + 2]} << 16
         | std::uint32_t{from[at + 1]} << 8 | from[at];
}

/// SQLite's checksum of the log, which runs on over all frames.
struct running_sum {
  /// Byte order of the data's words, given by the lowest bit of the log's magic number.
  bool is_big = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(bytes data) {
    auto word = is_big ? big_endian : little_endian;
    for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
      first += word(data, i) + second;
      second += word(data, i + 4) + first;
    }
  }
  [[nodiscard]] bool fits(bytes stored, std::size_t at) const {
    return big_endian(stored, at) == first && big_endian(stored, at + 4) == second;
  }
};

/// The contents of a log's header.
struct wal_header {
  std::size_t page = 0;
  std::uint32_t salt[2]{};
  running_sum sum;
};

std::optional<wal_header> header_from(bytes raw) {
  const auto found = big_endian(raw, 0);
  if ((found & ~std::uint32_t{1}) != magic || big_endian(raw, 4) != format_version)
    return std::nullopt;
  wal_header result;
  result.page = big_endian(raw, 8);
  const bool is_size = result.page >= 512 && result.page <= 65536;
  if (!is_size || (result.page & (result.page - 1)) != 0)
    return std::nullopt;
  result.salt[0] = big_endian(raw, 16);
  result.salt[1] = big_endian(raw, 20);
  result.sum.is_big = (found & 1) != 0;
  result.sum.add(raw.first(24));
  if (!result.sum.fits(raw, 24))
    return std::nullopt;
  return result;
}

/// Reads as much as is available, at most `to.size()`.
expected<std::size_t> read_at(const descriptor& from, const fs::path& path, std::uint64_t at,
                              std::span<unsigned char> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const auto count
        = ::pread(from.number(), to.data() + done, to.size() - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return system_error(path, "read", errno);
    if (count == 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

/// The part of the log from the first invalid frame on.
struct rest_of_log {
  std::uint64_t at = 0;
  /// Number of transaction ends in it, this frame included.
  std::uint64_t commits = 0;
};

/// The structure of a log, in bytes from its beginning.
struct log_survey {
  /// Empty if all frames are valid.
  std::optional<rest_of_log> rest;
  /// End of the last whole transaction.
  std::uint64_t whole = header_bytes;
  /// End of the data written since the log was last restarted; older data follows.
  std::uint64_t written = header_bytes;
};

class wal_reader {
public:
  wal_reader(const descriptor& from, const fs::path& path, wal_header header)
      : from_{from}, path_{path}, header_{header}, frame_(frame_header_bytes + header.page) {}

  expected<log_survey> survey() {
    log_survey result;
    for (std::uint64_t at = header_bytes;; at += frame_.size()) {
      std::fill(frame_.begin(), frame_.end(), 0);
      auto size = read_at(from_, path_, at, frame_);
      if (!size)
        return size.error();
      if (*size > 0 && (is_of_this_log() || is_blank()))
        result.written = at + *size;
      if (*size < frame_.size())
        return result;
      take(at, result);
    }
  }

private:
  const descriptor& from_;
  const fs::path& path_;
  wal_header header_;
  std::vector<unsigned char> frame_;

  /// Takes a whole frame into account.
  void take(std::uint64_t at, log_survey& to) {
    if (!to.rest && !fits())
      to.rest = rest_of_log{at, 0};
    if (!to.rest && ends_transaction())
      to.whole = at + frame_.size();
    if (to.rest && is_of_this_log() && ends_transaction())
      ++to.rest->commits;
  }

  [[nodiscard]] bool is_of_this_log() const {
    return big_endian(frame_, 8) == header_.salt[0] && big_endian(frame_, 12) == header_.salt[1];
  }
  /// Whether the file grew but its content, or a part of the frame's header, was never written.
  [[nodiscard]] bool is_blank() const {
    return big_endian(frame_, 8) == 0 && big_endian(frame_, 12) == 0;
  }
  [[nodiscard]] bool ends_transaction() const { return big_endian(frame_, 4) != 0; }
  bool fits() {
    header_.sum.add(bytes{frame_}.first(8));
    header_.sum.add(bytes{frame_}.subspan(frame_header_bytes));
    return is_of_this_log() && big_endian(frame_, 0) != 0 && header_.sum.fits(frame_, 16);
  }
};

error damaged_at(const fs::path& path, std::uint64_t at, const std::string& what) {
  return {ec::storage, path.string() + ": damaged at byte " + std::to_string(at) + ": " + what};
}

error would_be_lost(const fs::path& path, const rest_of_log& what) {
  return damaged_at(path, what.at,
                    "what comes after it, " + std::to_string(what.commits)
                        + " transactions, would be lost: restore a copy, or give them up by"
                          " truncate -s "
                        + std::to_string(what.at) + " " + path.string());
}

} // namespace

expected<void> check_wal(const fs::path& database) {
  auto found = torn_tail_of_wal(database);
  return found ? expected<void>{} : found.error();
}

expected<std::uint64_t> torn_tail_of_wal(const fs::path& database) {
  auto path = database;
  path += "-wal";
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT)
    return std::uint64_t{0};
  auto opened = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "read");
  if (!opened)
    return opened.error();
  std::vector<unsigned char> raw(header_bytes + frame_header_bytes + 1);
  auto size = read_at(*opened, path, 0, raw);
  if (!size)
    return size.error();
  if (*size < raw.size())
    return std::uint64_t{*size > header_bytes ? *size - header_bytes : 0}; // it has no page
  auto header = header_from(bytes{raw}.first(header_bytes));
  if (!header)
    return damaged_at(path, 0,
                      "its header does not fit, and what comes after it would be lost:"
                      " restore a copy");
  auto found = wal_reader{*opened, path, *header}.survey();
  if (!found)
    return found.error();
  // The last transaction may be torn: it was never reported as durable.
  if (found->rest && found->rest->commits >= 2)
    return would_be_lost(path, *found->rest);
  return found->written > found->whole ? found->written - found->whole : 0;
}

} // namespace tune::store

// SPDX-License-Identifier: BSD-3-Clause
#include "serve/trial_log.hpp"

#include "tune/core/printable.hpp"
#include "tune/http/event_frame.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune::cli {

namespace {

/// Most bytes of a log in one event.
constexpr std::size_t event_size = 32 * 1024;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// How many bytes at the end belong to a code point that is cut off there.
std::size_t cut_off(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80)
      continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

expected<std::string> read_piece(int from, std::uint64_t offset, std::size_t size) {
  std::string result(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const auto count
        = ::pread(from, result.data() + done, size - done, static_cast<::off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return error{ec::unreadable, std::string{"the log cannot be read: "} + std::strerror(errno)};
    if (count == 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  result.resize(done);
  return result;
}

std::string shown(std::string_view raw) {
  printable_parts parts;
  auto result = parts.add(raw);
  return result + parts.finish();
}

expected<log_part> part_of(int from, std::int64_t offset, std::size_t limit) {
  struct ::stat about {};
  if (::fstat(from, &about) != 0)
    return error{ec::unreadable, std::string{"the log cannot be read: "} + std::strerror(errno)};
  log_part result;
  result.size = static_cast<std::uint64_t>(about.st_size);
  const auto back = offset < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(offset) : 0;
  result.offset = offset < 0 ? result.size - std::min(result.size, back)
                             : std::min(result.size, static_cast<std::uint64_t>(offset));
  auto raw = read_piece(from, result.offset, limit);
  if (!raw)
    return raw.error();
  std::string_view text{*raw};
  // Where the beginning was counted from the end, it may be within a code point.
  while (offset < 0 && result.offset > 0 && !text.empty() && continues(text.front())) {
    text.remove_prefix(1);
    ++result.offset;
  }
  result.next = result.offset + text.size();
  if (const auto cut = cut_off(text); cut > 0 && cut < text.size()) {
    text.remove_suffix(cut);
    result.next -= cut;
  }
  result.size = std::max(result.size, result.next);
  result.text = shown(text);
  return result;
}

expected<guarded_directory> place_of(const trial_log& which) {
  return guarded_directory::open(trials_directory(which.directory), to_text(which.trial));
}

/// Whether nothing more is written.
bool is_over(const trial_log& which) {
  if (!is_led(which.directory))
    return true;
  auto reader = store_reader::open(which.directory);
  auto row
      = reader ? reader->trial(which.trial) : expected<std::optional<trial_row>>{reader.error()};
  return row && *row && is_final((*row)->status);
}

class log_feed : public live_feed {
public:
  log_feed(trial_log which, std::int64_t offset, std::shared_ptr<http::byte_pipe> to)
      : which_{std::move(which)}, offset_{offset}, to_{std::move(to)} {}

  bool look() override {
    // Asked before the file is read: what was written until then is read.
    const auto over = is_over(which_);
    for (;;) {
      auto part = read_log(which_, offset_, event_size);
      if (!part || part->next == part->offset)
        break;
      if (!to_->offer(http::event_frame("log", to_json(to_object(*part)))))
        return true;
      offset_ = static_cast<std::int64_t>(part->next);
    }
    if (over)
      static_cast<void>(to_->offer(http::event_frame("end", "{}")));
    return !over;
  }

  store::descriptor place() const override {
    auto place = place_of(which_);
    return store::descriptor{place ? ::fcntl(place->number(), F_DUPFD_CLOEXEC, 0) : -1};
  }

  bool heeds(const std::string& file) const override { return file == which_.stream; }

private:
  trial_log which_;
  std::int64_t offset_;
  std::shared_ptr<http::byte_pipe> to_;
};

} // namespace

expected<log_part> read_log(const trial_log& which, std::int64_t offset, std::size_t limit) {
  auto place = place_of(which);
  if (!place && place.error().code == ec::storage)
    return log_part{};
  if (!place)
    return place.error();
  if (!place->has_any(which.stream))
    return log_part{};
  auto file = place->read(which.stream);
  if (!file)
    return file.error();
  return part_of(file->number(), offset, limit);
}

object to_object(const log_part& x) {
  const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  return {{"text", x.text},
          {"offset", number(x.offset)},
          {"next_offset", number(x.next)},
          {"bytes", number(x.size)},
          {"eof", x.is_at_end()}};
}

std::unique_ptr<live_feed> make_log_feed(trial_log which, std::int64_t offset,
                                         std::shared_ptr<http::byte_pipe> to) {
  return std::make_unique<log_feed>(std::move(which), offset, std::move(to));
}

} // namespace tune::cli

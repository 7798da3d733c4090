// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/line_reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune::cli {

namespace {

bool is_readable(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return descriptor >= 0 && ::poll(&one, 1, 0) > 0;
}

} // namespace

line_news line_reader::next() {
  line_news result;
  for (;;) {
    if (is_readable(wave_))
      return {line_news::kind::waved};
    if (take_line(result))
      return result;
    if (ended_)
      return last_line();
    if (!fill(result))
      return result;
  }
}

bool line_reader::take_line(line_news& to) {
  auto end = buffer_.find('\n', searched_);
  if (end == buffer_.npos) {
    searched_ = buffer_.size();
    if (searched_ > most_ || skipping_) {
      skipping_ = true;
      buffer_.clear();
      searched_ = 0;
    }
    return false;
  }
  auto too_long = std::exchange(skipping_, false) || end > most_;
  to = {too_long ? line_news::kind::too_long : line_news::kind::line,
        too_long ? std::string{} : buffer_.substr(0, end)};
  buffer_.erase(0, end + 1);
  searched_ = 0;
  return true;
}

line_news line_reader::last_line() {
  if (std::exchange(skipping_, false))
    return {line_news::kind::too_long};
  searched_ = 0;
  if (buffer_.empty())
    return {line_news::kind::end};
  return {line_news::kind::line, std::exchange(buffer_, {})};
}

bool line_reader::fill(line_news& to) {
  pollfd both[] = {{from_, POLLIN, 0}, {wave_, POLLIN, 0}};
  if (::poll(both, 2, -1) < 0) {
    if (errno == EINTR)
      return true;
    to = {line_news::kind::failed, std::strerror(errno)};
    return false;
  }
  if (both[0].revents == 0)
    return true;
  std::array<char, 65536> bytes;
  auto got = ::read(from_, bytes.data(), bytes.size());
  if (got < 0 && errno != EINTR && errno != EAGAIN) {
    to = {line_news::kind::failed, std::strerror(errno)};
    return false;
  }
  ended_ = got == 0;
  if (got > 0)
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

} // namespace tune::cli

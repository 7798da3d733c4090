/// Cuts a stream of bytes into lines, in bounded memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// Line terminators: only a line feed, or also a carriage return, as progress bars write it; both
/// together count as one.
enum class line_ends : std::uint8_t { line_feeds, returns_too };

/// Lines end at '\n'; a preceding '\r' is removed. Of a line beyond the limit, the beginning is
/// delivered as soon as the excess is known, and the rest is skipped. Any byte may occur.
class line_splitter {
public:
  /// @param limit Longest line delivered whole. [bytes]
  explicit line_splitter(std::size_t limit, line_ends ends = line_ends::line_feeds)
      : limit_{limit}, ends_{ends} {}

  /// Processes bytes. Calls `hear(line, truncated)` for each complete line, and for the beginning
  /// of one that is too long; it returns whether to continue. @returns how many bytes were
  /// consumed; less than all if `hear` returned false.
  template <class F>
  std::size_t feed(std::string_view bytes, F&& hear) {
    std::size_t taken = 0;
    while (taken < bytes.size()) {
      auto rest = bytes.substr(taken);
      if (std::exchange(after_return_, false) && rest[0] == '\n') {
        ++taken;
        continue;
      }
      auto end = end_of(rest);
      auto ended = end != rest.npos;
      taken += ended ? end + 1 : rest.size();
      after_return_ = ended && rest[end] == '\r';
      if (!take(rest.substr(0, end), ended, hear))
        return taken;
    }
    return taken;
  }

  /// Ends the stream: a last line without '\n' is delivered, too.
  template <class F>
  void finish(F&& hear) {
    if (!partial_.empty())
      give({}, false, hear);
  }

private:
  std::size_t limit_;
  line_ends ends_;
  std::string partial_;
  /// True right after a '\r': a '\n' that follows belongs to the same line end.
  bool after_return_ = false;
  /// True after the beginning of a too long line was delivered.
  bool skipping_ = false;

  [[nodiscard]] std::size_t end_of(std::string_view text) const {
    if (ends_ == line_ends::line_feeds)
      return text.find('\n');
    auto is_end = [](char c) { return c == '\n' || c == '\r'; };
    auto found = std::find_if(text.begin(), text.end(), is_end);
    return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
  }

  template <class F>
  bool take(std::string_view part, bool ended, F& hear) {
    if (skipping_) {
      skipping_ = !ended;
      return true;
    }
    auto room = limit_ - partial_.size();
    auto truncated = part.size() > room;
    skipping_ = truncated && !ended;
    if (truncated || ended)
      return give(part.substr(0, room), truncated, hear);
    partial_.append(part);
    return true;
  }

  template <class F>
  bool give(std::string_view last_part, bool truncated, F& hear) {
    std::string line;
    auto whole = last_part;
    if (!partial_.empty()) {
      line.swap(partial_);
      whole = line.append(last_part);
    }
    if (!truncated && whole.ends_with('\r'))
      whole.remove_suffix(1);
    return hear(whole, truncated);
  }
};

} // namespace tune

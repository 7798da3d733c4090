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

/// What ends a line: a line feed; or a carriage return as well, as progress bars write them, and
/// both together are one end.
enum class line_ends : std::uint8_t { line_feeds, returns_too };

/// Lines end at '\n'; a '\r' before it goes. Of a line beyond the limit the beginning is given out
/// as soon as that is known, and the rest skipped. Any byte may occur.
class line_splitter {
public:
  /// @param limit bytes of the longest line given out whole.
  explicit line_splitter(std::size_t limit, line_ends ends = line_ends::line_feeds)
      : limit_{limit}, ends_{ends} {}

  /// Feeds bytes in. `hear(line, truncated)` is called for each complete line, and for the
  /// beginning of one that is too long, and says whether to go on. @returns how many bytes were
  /// taken; less than all where it said no.
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

  /// The stream is over: what it ended in without '\n' is a line too.
  template <class F>
  void finish(F&& hear) {
    if (!partial_.empty())
      give({}, false, hear);
  }

private:
  std::size_t limit_;
  line_ends ends_;
  std::string partial_;
  /// The line feed that may come now belongs to the end before.
  bool after_return_ = false;
  /// The line's beginning was given out.
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

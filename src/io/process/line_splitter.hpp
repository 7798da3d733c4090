/// Cuts a stream of bytes into lines, in bounded memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// Lines end at '\n'; a '\r' before it goes. Of a line beyond the limit the beginning is kept and
/// the rest skipped. Any byte may occur.
class line_splitter {
public:
  /// @param limit bytes of the longest line given out whole.
  explicit line_splitter(std::size_t limit) : limit_{limit} {}

  /// Feeds bytes in. `hear(line, truncated)` is called for each complete line and says whether to
  /// go on. @returns how many bytes were taken; less than all where it said no.
  template <class F>
  std::size_t feed(std::string_view bytes, F&& hear) {
    std::size_t taken = 0;
    while (taken < bytes.size()) {
      auto rest = bytes.substr(taken);
      auto end = rest.find('\n');
      if (end == rest.npos) {
        keep(rest);
        return bytes.size();
      }
      taken += end + 1;
      if (!give(rest.substr(0, end), hear))
        return taken;
    }
    return taken;
  }

  /// The stream is over: what it ended in without '\n' is a line too.
  template <class F>
  void finish(F&& hear) {
    if (!partial_.empty() || truncated_)
      give({}, hear);
  }

private:
  std::size_t limit_;
  std::string partial_;
  bool truncated_ = false;

  void keep(std::string_view part) {
    auto room = limit_ - partial_.size();
    truncated_ = truncated_ || part.size() > room;
    partial_.append(part.substr(0, room));
  }

  template <class F>
  bool give(std::string_view last_part, F& hear) {
    auto whole = last_part;
    auto truncated = truncated_ || last_part.size() > limit_;
    std::string line;
    if (!partial_.empty() || truncated) {
      keep(last_part);
      truncated = truncated_;
      line.swap(partial_);
      whole = line;
    }
    truncated_ = false;
    if (!truncated && whole.ends_with('\r'))
      whole.remove_suffix(1);
    return hear(whole, truncated);
  }
};

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "console/terminal_guard.hpp"

#include <ostream>

namespace tune::cli {

terminal_guard::terminal_guard(std::ostream& whom) : whom_{whom}, to_{whom.rdbuf(this)} {}

terminal_guard::~terminal_guard() {
  const auto state = whom_.rdstate();
  static_cast<void>(put(text_.finish()));
  whom_.rdbuf(to_);
  // Setting a buffer clears the stream's error state.
  whom_.clear(state);
  whom_.flush();
}

bool terminal_guard::put(const std::string& shown) {
  const auto size = static_cast<std::streamsize>(shown.size());
  return to_->sputn(shown.data(), size) == size;
}

terminal_guard::int_type terminal_guard::overflow(int_type x) {
  if (traits_type::eq_int_type(x, traits_type::eof()))
    return traits_type::not_eof(x);
  const char single = traits_type::to_char_type(x);
  return put(text_.add({&single, 1})) ? x : traits_type::eof();
}

std::streamsize terminal_guard::xsputn(const char* text, std::streamsize count) {
  return put(text_.add({text, static_cast<std::size_t>(count)})) ? count : 0;
}

int terminal_guard::sync() {
  return to_->pubsync();
}

} // namespace tune::cli

/// Keeps text that was read from trials and files from controlling the terminal. The program puts
/// it before standard output: see program.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/printable.hpp"

#include <iosfwd>
#include <streambuf>
#include <string>

namespace tune::cli {

/// Filters a stream to a terminal: control characters come out as visible escapes, like those of
/// `printable_parts`. Not for output that colours itself.
class terminal_guard : public std::streambuf {
public:
  /// Filters `whom` from now on until its own end. @param whom must outlive it.
  explicit terminal_guard(std::ostream& whom);
  ~terminal_guard() override;
  terminal_guard(const terminal_guard&) = delete;
  terminal_guard& operator=(const terminal_guard&) = delete;

protected:
  int_type overflow(int_type x) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

private:
  std::ostream& whom_;
  std::streambuf* to_;
  printable_parts text_;

  [[nodiscard]] bool put(const std::string& shown);
};

} // namespace tune::cli

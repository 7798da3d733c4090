// SPDX-License-Identifier: BSD-3-Clause
#include "csv_reader.hpp"

namespace tune {

char csv_reader::take() {
  auto c = rest_.front();
  rest_.remove_prefix(1);
  if (c == '\n')
    ++next_line_;
  return c;
}

expected<std::vector<std::string>> csv_reader::next() {
  while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r'))
    take();
  line_ = next_line_;
  std::vector<std::string> cells;
  if (rest_.empty())
    return cells;
  std::string cell;
  auto quoted = false;
  auto done = false;
  while (!done && !rest_.empty()) {
    auto c = take();
    if (quoted) {
      if (c != '"')
        cell += c;
      else if (!rest_.empty() && rest_.front() == '"')
        cell += take();
      else
        quoted = false;
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::exchange(cell, {}));
    } else if (c == '\n') {
      done = true;
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (quoted)
    return error{ec::bad_syntax, "a quote is never closed"};
  cells.push_back(std::move(cell));
  return cells;
}

} // namespace tune

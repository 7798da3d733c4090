// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_expression.hpp"

#include <utility>

namespace tune {

namespace {

constexpr std::string_view number_group
    = R"(([+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?)"
      R"(|(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])(?![A-Za-z0-9_]))))";

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The meaning of a backslash followed by this character.
written_beside escaped(char c) {
  using kind = written_beside::kind;
  if (std::string_view{"dDsSwW"}.find(c) != std::string_view::npos)
    return {kind::one_of};
  return is_alphanumeric(c) ? written_beside{} : written_beside{kind::character, c};
}

/// Scans an expression, taking account of escapes and character classes.
class expander {
public:
  explicit expander(std::string_view written) : rest_{written} {}

  metric_expression run() {
    while (!rest_.empty())
      step();
    return std::move(made_);
  }

private:
  using kind = written_beside::kind;

  std::string_view rest_;
  metric_expression made_;
  std::size_t groups_ = 0;
  /// Number of open groups, and that number when the value's group began; 0 if it is closed.
  std::size_t depth_ = 0;
  std::size_t value_depth_ = 0;
  written_beside last_;
  /// True if the value has ended and nothing follows it yet.
  bool awaits_ = false;
  /// True if the last element is directly after the value.
  bool behind_is_last_ = false;

  void step() {
    if (rest_[0] == '\\' && rest_.size() > 1)
      return take(2, escaped(rest_[1]));
    if (rest_.starts_with(number_placeholder))
      return take_number();
    switch (rest_[0]) {
      case '[':
        return take(length_of_class(), {kind::one_of});
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '{':
        return take_quantifier(rest_.find('}') == rest_.npos ? 1 : rest_.find('}') + 1);
      case '*':
      case '+':
      case '?':
        return take_quantifier(1);
      case '.':
      case '^':
      case '$':
      case '|':
        return take(1, {});
      default:
        return take(1, {kind::character, rest_[0]});
    }
  }

  void copy(std::size_t count) {
    made_.text += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void take(std::size_t count, written_beside what) {
    copy(count);
    last_ = what;
    stands_behind(what);
  }

  void stands_behind(written_beside what) {
    behind_is_last_ = std::exchange(awaits_, false);
    if (behind_is_last_)
      made_.behind = what;
  }

  void take_quantifier(std::size_t count) {
    copy(count);
    last_.repeats = true;
    if (behind_is_last_)
      made_.behind.repeats = true;
  }

  [[nodiscard]] std::size_t length_of_class() const {
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\')
        ++i;
      else if (rest_[i] == ']')
        return i + 1;
    }
    return rest_.size();
  }

  void take_number() {
    ++groups_;
    if (!made_.is_number) {
      made_.is_number = true;
      made_.group = groups_;
      made_.before = last_;
      made_.behind = {};
      value_depth_ = 0;
      behind_is_last_ = false;
      awaits_ = true;
    } else {
      stands_behind({});
    }
    made_.text += number_group;
    rest_.remove_prefix(number_placeholder.size());
    last_ = {};
  }

  void open_group() {
    ++depth_;
    stands_behind({kind::group});
    if (rest_.substr(1).starts_with('?'))
      return copy(rest_.size() > 2 ? 3 : rest_.size());
    copy(1);
    if (++groups_ > 1 || made_.is_number)
      return;
    made_.group = 1;
    made_.before = last_;
    value_depth_ = depth_;
  }

  void close_group() {
    copy(1);
    if (depth_ > 0 && depth_-- == value_depth_) {
      value_depth_ = 0;
      awaits_ = true;
    }
    last_ = {kind::group};
  }
};

} // namespace

metric_expression expand_expression(std::string_view written) {
  return expander{written}.run();
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "exact_json.hpp"

#include "non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tune::store {

namespace {

using path = std::vector<std::int64_t>;

bool is_exception(const value& x, json_position where) {
  if (where == json_position::plain)
    return x.as_double() != nullptr && !std::isfinite(*x.as_double());
  return x.as_string() != nullptr && non_finite(*x.as_string());
}

/// Calls `see(position, child)` for all children of `x`.
template <class F>
void for_children(const value& x, F see) {
  std::int64_t position = 0;
  if (const auto* list = x.as_list()) {
    for (const auto& child : *list)
      see(position++, child);
  } else if (const auto* entries = x.as_object()) {
    for (const auto& entry : *entries)
      see(position++, entry.second);
  }
}

class collector {
public:
  collector(std::string& to, json_position where) : to_{to}, where_{where} {}

  void visit(const value& x) {
    depth_ = std::max(depth_, path_.size());
    if (is_exception(x, where_))
      add();
    for_children(x, [this](std::int64_t position, const value& child) {
      path_.push_back(position);
      visit(child);
      path_.pop_back();
    });
  }

  void enter(std::int64_t position, const value& x) {
    path_.assign(1, position);
    visit(x);
  }

  std::size_t finish() {
    if (found_)
      to_ += ']';
    return std::max<std::size_t>(depth_, 1);
  }

private:
  std::string& to_;
  json_position where_;
  path path_;
  bool found_ = false;
  std::size_t depth_ = 0;

  void add() {
    to_ += std::exchange(found_, true) ? ",[" : "[[";
    for (std::size_t i = 0; i < path_.size(); ++i)
      to_ += (i > 0 ? "," : "") + std::to_string(path_[i]);
    to_ += ']';
  }
};

/// Turns texts back into non-finite numbers in one object.
class restorer {
public:
  restorer(json_position where, const value::list* exceptions) : where_{where} {
    if (exceptions == nullptr)
      return;
    for (const auto& one : *exceptions) {
      path found;
      for_children(one, [&](std::int64_t, const value& x) {
        found.push_back(x.as_int() != nullptr ? *x.as_int() : -1);
      });
      exceptions_.push_back(std::move(found));
    }
  }

  object visit(const object& x) {
    std::vector<object::entry> result;
    result.reserve(x.size());
    std::int64_t position = 0;
    for (const auto& [name, child] : x) {
      path_.push_back(position++);
      result.emplace_back(name, visit(child));
      path_.pop_back();
    }
    return object::of(std::move(result));
  }

private:
  json_position where_;
  path path_;
  /// In the order of traversal, as they were written.
  std::vector<path> exceptions_;
  std::size_t next_ = 0;

  value visit(const value& x) {
    if (const auto* inner = x.as_object())
      return visit(*inner);
    if (const auto* list = x.as_list()) {
      value::list result;
      result.reserve(list->size());
      for (const auto& child : *list) {
        path_.push_back(static_cast<std::int64_t>(result.size()));
        result.push_back(visit(child));
        path_.pop_back();
      }
      return result;
    }
    const bool excepted = next_ < exceptions_.size() && exceptions_[next_] == path_;
    if (excepted)
      ++next_;
    if (const auto* text = x.as_string()) {
      // In a metric position, a non-finite text normally means a number; in a plain position, only
      // as an exception.
      if (excepted == (where_ == json_position::plain)) {
        if (auto number = non_finite(*text))
          return *number;
      }
    }
    return x;
  }
};

bool has_spelled(const value& x) {
  if (x.as_string() != nullptr)
    return non_finite(*x.as_string()).has_value();
  bool found = false;
  for_children(x, [&](std::int64_t, const value& child) { found = found || has_spelled(child); });
  return found;
}

} // namespace

std::size_t append_exceptions(std::string& to, const object& what, json_position where) {
  collector found{to, where};
  std::int64_t position = 0;
  for (const auto& entry : what)
    found.enter(position++, entry.second);
  return found.finish();
}

object restored(object what, json_position where, const value& exceptions) {
  if (where == json_position::plain && exceptions.as_list() == nullptr)
    return what;
  bool any = false;
  for (const auto& entry : what)
    any = any || has_spelled(entry.second);
  if (!any)
    return what;
  return restorer{where, exceptions.as_list()}.visit(what);
}

} // namespace tune::store

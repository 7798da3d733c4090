// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <tuple>

namespace tune {

object::object() = default;
object::object(const object&) = default;
object::object(object&&) noexcept = default;
object& object::operator=(const object&) = default;
object& object::operator=(object&&) noexcept = default;
object::~object() = default;

object::object(std::initializer_list<entry> entries) {
  entries_.reserve(entries.size());
  for (const auto& [name, what] : entries)
    set(name, what);
}

object object::of(std::vector<entry> entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return std::tie(entries[x].first, x) < std::tie(entries[y].first, y);
  });
  std::vector<bool> doubled(entries.size());
  for (std::size_t i = order.size(); i-- > 1;) {
    auto& earlier = entries[order[i - 1]];
    auto& later = entries[order[i]];
    if (earlier.first != later.first)
      continue;
    earlier.second = std::move(later.second);
    doubled[order[i]] = true;
  }
  object result;
  result.entries_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!doubled[i])
      result.entries_.push_back(std::move(entries[i]));
  }
  return result;
}

const value* object::find(std::string_view name) const {
  for (const auto& x : entries_) {
    if (x.first == name)
      return &x.second;
  }
  return nullptr;
}

value* object::find(std::string_view name) {
  return const_cast<value*>(std::as_const(*this).find(name));
}

value& object::set(std::string_view name, value what) {
  if (auto* known = find(name)) {
    *known = std::move(what);
    return *known;
  }
  return entries_.emplace_back(std::string{name}, std::move(what)).second;
}

bool object::erase(std::string_view name) {
  return std::erase_if(entries_, [&](const entry& x) { return x.first == name; }) > 0;
}

std::size_t object::size() const {
  return entries_.size();
}

const object::entry* object::begin() const {
  return entries_.data();
}

const object::entry* object::end() const {
  return entries_.data() + entries_.size();
}

bool operator==(const object& x, const object& y) {
  return x.entries_ == y.entries_;
}

std::optional<double> value::number() const {
  if (const auto* x = as_double())
    return *x;
  if (const auto* x = as_int())
    return static_cast<double>(*x);
  if (const auto* x = as_bool())
    return *x ? 1.0 : 0.0;
  return std::nullopt;
}

bool operator==(const value& x, const value& y) {
  if (const auto* a = x.as_double()) {
    const auto* b = y.as_double();
    return b != nullptr && std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
  }
  return x.content_ == y.content_;
}

const value* find_path(const object& where, std::string_view path) {
  if (const auto* whole = where.find(path))
    return whole;
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const auto* head = where.find(path.substr(0, slash));
    if (head == nullptr || head->as_object() == nullptr)
      continue;
    if (const auto* found = find_path(*head->as_object(), path.substr(slash + 1)))
      return found;
  }
  return nullptr;
}

namespace {

std::string double_text(double x) {
  if (std::isnan(x))
    return "nan";
  if (std::isinf(x))
    return x > 0 ? "inf" : "-inf";
  std::array<char, 32> buffer{};
  auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end};
}

struct text_visitor {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  std::string operator()(double x) const { return double_text(x); }
  std::string operator()(const std::string& x) const { return x; }
  std::string operator()(const value::list& xs) const {
    std::string result = "[";
    for (const auto& x : xs)
      result += (result.size() > 1 ? ", " : "") + to_text(x);
    return result + "]";
  }
  std::string operator()(const object& xs) const {
    std::string result = "{";
    for (const auto& [name, x] : xs)
      result += (result.size() > 1 ? ", " : "") + name + ": " + to_text(x);
    return result + "}";
  }
};

} // namespace

std::string to_text(const value& what) {
  return std::visit(text_visitor{}, what.content());
}

} // namespace tune

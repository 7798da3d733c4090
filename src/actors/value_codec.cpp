// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/value_codec.hpp"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tune {

namespace {

enum class tag : char { null, no, yes, integer, real, text, list, object };

constexpr std::size_t most_depth = 64;

class writer {
public:
  std::string bytes;

  void put(const object& what) {
    length(what.size());
    for (const auto& [name, x] : what) {
      text(name);
      put(x);
    }
  }

  void put(const value& what) { std::visit(*this, what.content()); }

  void operator()(std::monostate) { mark(tag::null); }
  void operator()(bool x) { mark(x ? tag::yes : tag::no); }
  void operator()(std::int64_t x) {
    mark(tag::integer);
    word(static_cast<std::uint64_t>(x), 8);
  }
  void operator()(double x) {
    mark(tag::real);
    word(std::bit_cast<std::uint64_t>(x), 8);
  }
  void operator()(const std::string& x) {
    mark(tag::text);
    text(x);
  }
  void operator()(const value::list& xs) {
    mark(tag::list);
    length(xs.size());
    for (const auto& x : xs)
      put(x);
  }
  void operator()(const object& x) {
    mark(tag::object);
    put(x);
  }

private:
  void mark(tag x) { bytes.push_back(static_cast<char>(x)); }
  void word(std::uint64_t x, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<char>(x >> (8 * i) & 0xff));
  }
  void length(std::size_t n) { word(n, 4); }
  void text(const std::string& x) {
    length(x.size());
    bytes += x;
  }
};

class reader {
public:
  explicit reader(std::string_view bytes) : rest_{bytes} {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  object get_object(std::size_t depth) {
    std::vector<object::entry> entries;
    auto count = length(depth);
    for (std::size_t i = 0; ok_ && i < count; ++i) {
      auto name = text();
      entries.emplace_back(std::move(name), get_value(depth + 1));
    }
    return object::of(std::move(entries));
  }

  value get_value(std::size_t depth) {
    switch (static_cast<tag>(word(1))) {
      case tag::null:
        return {};
      case tag::no:
        return false;
      case tag::yes:
        return true;
      case tag::integer:
        return static_cast<std::int64_t>(word(8));
      case tag::real:
        return std::bit_cast<double>(word(8));
      case tag::text:
        return text();
      case tag::list: {
        value::list result;
        auto count = length(depth);
        for (std::size_t i = 0; ok_ && i < count; ++i)
          result.push_back(get_value(depth + 1));
        return result;
      }
      case tag::object:
        return get_object(depth);
    }
    ok_ = false;
    return {};
  }

private:
  std::string_view rest_;
  bool ok_ = true;

  std::uint64_t word(std::size_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      return 0;
    }
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < size; ++i)
      result |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(size);
    return result;
  }

  // Every element takes at least one byte: a longer length is invalid.
  std::size_t length(std::size_t depth) {
    auto result = word(4);
    if (result > rest_.size() || depth > most_depth)
      ok_ = false;
    return ok_ ? result : 0;
  }

  std::string text() {
    auto size = length(0);
    std::string result{rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return result;
  }
};

} // namespace

std::string encode(const object& what) {
  writer out;
  out.put(what);
  return std::move(out.bytes);
}

expected<object> decode_object(std::string_view bytes) {
  reader in{bytes};
  auto result = in.get_object(0);
  if (!in.ok() || !in.at_end())
    return error{ec::protocol, "a value arrived damaged"};
  return result;
}

} // namespace tune

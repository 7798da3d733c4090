// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/fingerprint.hpp"

#include <bit>

namespace tune {

fingerprint& fingerprint::add(std::uint64_t x) {
  // One multiply-xorshift round per word; the constant is the 64-bit golden ratio.
  state_ ^= x + 0x9e3779b97f4a7c15ull + (state_ << 6) + (state_ >> 2);
  state_ *= 0xff51afd7ed558ccdull;
  state_ ^= state_ >> 33;
  return *this;
}

fingerprint& fingerprint::add(double x) {
  return add(std::bit_cast<std::uint64_t>(x));
}

fingerprint& fingerprint::add(std::string_view x) {
  add(std::uint64_t{x.size()});
  std::uint64_t hash = 14695981039346656037ull;
  for (unsigned char c : x)
    hash = (hash ^ c) * 1099511628211ull;
  return add(hash);
}

fingerprint& fingerprint::add(const value& x) {
  struct visitor {
    fingerprint& into;
    void operator()(std::monostate) const {}
    void operator()(bool y) const { into.add(std::uint64_t{y}); }
    void operator()(std::int64_t y) const { into.add(static_cast<std::uint64_t>(y)); }
    void operator()(double y) const { into.add(y); }
    void operator()(const std::string& y) const { into.add(std::string_view{y}); }
    void operator()(const value::list& ys) const {
      into.add(std::uint64_t{ys.size()});
      for (const auto& y : ys)
        into.add(y);
    }
    void operator()(const object& y) const { into.add(y); }
  };
  add(std::uint64_t{x.content().index()});
  std::visit(visitor{*this}, x.content());
  return *this;
}

fingerprint& fingerprint::add(const object& x) {
  add(std::uint64_t{x.size()});
  for (const auto& [name, what] : x)
    add(std::string_view{name}).add(what);
  return *this;
}

} // namespace tune

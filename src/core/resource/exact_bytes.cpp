// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/exact_bytes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tune {

std::string exact_bytes_text(std::uint64_t bytes) {
  struct unit {
    std::uint64_t size;
    std::string_view name;
  };
  static constexpr std::array<unit, 9> units{{{1ull << 40, "TiB"},
                                              {1'000'000'000'000, "TB"},
                                              {1ull << 30, "GiB"},
                                              {1'000'000'000, "GB"},
                                              {1ull << 20, "MiB"},
                                              {1'000'000, "MB"},
                                              {1ull << 10, "KiB"},
                                              {1'000, "kB"},
                                              {1, ""}}};
  auto fits = [bytes](const unit& x) { return bytes >= x.size && bytes % x.size == 0; };
  auto found = std::find_if(units.begin(), units.end(), fits);
  return found == units.end() ? "0"
                              : std::to_string(bytes / found->size) + std::string{found->name};
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/costs.hpp"

#include "console/text.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace {

/// Three digits, as far as they tell something.
std::string amount_text(double x, std::string_view unit) {
  std::array<char, 32> text{};
  const char* form = x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : "%.2f";
  std::snprintf(text.data(), text.size(), form, x);
  return std::string{text.data()} + std::string{unit};
}

std::string text_of(cost_kind which, double x) {
  switch (which) {
    case cost_kind::cpu_s:
      return amount_text(x, " s CPU");
    case cost_kind::peak_rss_bytes:
      return bytes_text(static_cast<std::uint64_t>(x)) + " memory";
    case cost_kind::read_bytes:
      return bytes_text(static_cast<std::uint64_t>(x)) + " read";
    case cost_kind::written_bytes:
      return bytes_text(static_cast<std::uint64_t>(x)) + " written";
    case cost_kind::gpu_s:
      return amount_text(x, " s GPU");
    case cost_kind::peak_gpu_bytes:
      return bytes_text(static_cast<std::uint64_t>(x)) + " GPU memory";
    case cost_kind::energy_j:
      return amount_text(x, " J");
  }
  return {};
}

} // namespace

cost_sheet costs_of(std::span<const attempt_row> attempts) {
  cost_sheet result;
  for (const auto& x : attempts)
    result.add(from_record(x.costs));
  return result;
}

std::string costs_text(const cost_sheet& x) {
  std::string result;
  for (std::size_t i = 0; i < cost_kind_count; ++i) {
    const auto kind = static_cast<cost_kind>(i);
    const auto amount = x.of(kind);
    const auto is_dull = kind == cost_kind::read_bytes || kind == cost_kind::written_bytes;
    // Few trials move bytes that the page cache does not answer.
    if (!amount || (is_dull && *amount == 0))
      continue;
    result += (result.empty() ? "" : ", ") + text_of(kind, *amount);
  }
  return result;
}

} // namespace tune::cli

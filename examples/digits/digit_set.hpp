/// Handwritten digits as numbers: reading the file and splitting it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace tune::examples {

/// Grey values per image: 8 x 8.
inline constexpr std::size_t pixels_per_digit = 64;
/// Classes: the digits 0 to 9.
inline constexpr std::size_t digit_classes = 10;

/// Images with their labels.
struct digit_set {
  /// `pixels_per_digit` values in [0, 1] per image, image after image.
  std::vector<float> pixels;
  /// In [0, digit_classes), one per image.
  std::vector<std::uint8_t> labels;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
};

/// Three disjoint parts: to learn from, to choose by, and to judge the chosen one by.
struct digits_split {
  digit_set train;
  digit_set validation;
  digit_set test;
};

/// Reads rows of 64 integers in 0..16 and a label, joined by commas, and scales them to [0, 1].
/// @errors `ec::unreadable` without the file; `ec::bad_syntax` naming file and line.
[[nodiscard]] expected<digit_set> read_digits(const std::filesystem::path& file);

/// Splits `all` into two thirds, a sixth and a sixth (1197, 300 and 300 of 1797), always alike:
/// within each class the images are shuffled by a fixed seed, so each part has each class in
/// equal share up to one image.
[[nodiscard]] digits_split split_digits(const digit_set& all);

} // namespace tune::examples

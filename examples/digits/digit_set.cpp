// SPDX-License-Identifier: BSD-3-Clause
#include "digits/digit_set.hpp"

#include "tune/core/rng.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace tune::examples {

namespace {

constexpr int white = 16;
constexpr std::uint64_t split_seed = 1998; // the year the data were published
// Dealing 1797 images out to six hands gives hands 0 and 1 exactly 300 each.
constexpr std::size_t hands = 6;

/// Takes a number in [0, most] and the comma after it off the front of `text`.
bool take_number(std::string_view& text, int most, int& to) {
  auto last = text.data() + text.size();
  auto [next, why] = std::from_chars(text.data(), last, to);
  if (why != std::errc{} || to < 0 || to > most)
    return false;
  if (next != last && *next++ != ',')
    return false;
  text = std::string_view{next, static_cast<std::size_t>(last - next)};
  return true;
}

bool append_row(digit_set& to, std::string_view row) {
  auto number = 0;
  for (std::size_t i = 0; i < pixels_per_digit; ++i) {
    if (!take_number(row, white, number))
      return false;
    to.pixels.push_back(static_cast<float>(number) / white);
  }
  if (!take_number(row, digit_classes - 1, number) || !row.empty())
    return false;
  to.labels.push_back(static_cast<std::uint8_t>(number));
  return true;
}

void append_image(digit_set& to, const digit_set& from, std::size_t index) {
  auto first = from.pixels.begin() + static_cast<std::ptrdiff_t>(index * pixels_per_digit);
  to.pixels.insert(to.pixels.end(), first, first + pixels_per_digit);
  to.labels.push_back(from.labels[index]);
}

/// All indices, class by class, shuffled within each class.
std::vector<std::size_t> shuffled_by_class(const digit_set& all) {
  std::vector<std::size_t> result;
  for (std::size_t label = 0; label < digit_classes; ++label) {
    auto first = result.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all.labels[i] == label)
        result.push_back(i);
    auto draws = rng{split_seed, "digits.split", label};
    for (auto left = result.size() - first; left > 1; --left)
      std::swap(result[first + left - 1], result[first + draws.below(left)]);
  }
  return result;
}

} // namespace

expected<digit_set> read_digits(const std::filesystem::path& file) {
  auto in = std::ifstream{file};
  if (!in)
    return error{ec::unreadable, "cannot read the digits from " + file.string()};
  digit_set result;
  std::string row;
  for (auto number = 1; std::getline(in, row); ++number)
    if (!append_row(result, row))
      return error{ec::bad_syntax, file.string() + ":" + std::to_string(number)
                                       + ": expected 64 grey values in 0..16 and a label in 0..9"};
  if (result.size() == 0)
    return error{ec::bad_syntax, file.string() + " holds no digits"};
  return result;
}

digits_split split_digits(const digit_set& all) {
  digits_split result;
  auto order = shuffled_by_class(all);
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto hand = i % hands;
    auto& part = hand == 0 ? result.validation : hand == 1 ? result.test : result.train;
    append_image(part, all, order[i]);
  }
  return result;
}

} // namespace tune::examples

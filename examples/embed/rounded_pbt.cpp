// SPDX-License-Identifier: BSD-3-Clause
#include "rounded_pbt.hpp"

#include <charconv>

namespace embed {

namespace {

double with_two_digits(double x) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, 1).ptr;
  std::from_chars(text, end, x);
  return x;
}

/// Receives the perturbed configuration. A result outside of the space would be rejected.
tune::object rounded(tune::object config, const tune::pbt::heritage&) {
  if (auto* lr = config.find("lr"); lr != nullptr && lr->number())
    *lr = with_two_digits(*lr->number());
  return config;
}

} // namespace

tune::scheduler_catalogue::entry rounded_pbt_entry() {
  return tune::pbt::make_entry("rounded_pbt", rounded);
}

} // namespace embed

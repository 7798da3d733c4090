// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/rng.hpp"

#include "tune/core/stable_math.hpp"

#include <cmath>

namespace tune {

namespace {

using words = std::array<std::uint32_t, 4>;
using key = std::array<std::uint32_t, 2>;

std::uint32_t low_half(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}

std::uint32_t high_half(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

/// Mixes seed and name, so that near seeds and near names give unrelated keys.
key key_of(std::uint64_t seed, std::string_view stream) {
  auto name = stable_hash(stream);
  auto mixed = philox({low_half(seed), high_half(seed), low_half(name), high_half(name)},
                      {0x74756e65u, 0x6e6f6465u});
  return {mixed[0], mixed[1]};
}

/// Coefficients from the constant term upwards.
template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double result = 0;
  for (auto i = N; i > 0; --i)
    result = result * x + coefficients[i - 1];
  return result;
}

// Wichura's PPND16: centre, near tails, far tails.
constexpr double centre_above[]
    = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
       3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr double centre_below[] = {1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
constexpr double near_above[]
    = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
       3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
       2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_below[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
constexpr double far_above[]
    = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_below[] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

} // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    auto left = std::uint64_t{0xD2511F53u} * counter[0];
    auto right = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {high_half(right) ^ counter[1] ^ key[0], low_half(right),
               high_half(left) ^ counter[3] ^ key[1], low_half(left)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

rng::rng(std::uint64_t seed, std::string_view stream, std::uint64_t number)
    : key_{key_of(seed, stream)}, number_{number} {}

std::uint64_t rng::bits() {
  auto draw = draw_++;
  auto x = philox({low_half(draw), high_half(draw), low_half(number_), high_half(number_)}, key_);
  return std::uint64_t{x[1]} << 32 | x[0];
}

double rng::unit() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

std::uint64_t rng::below(std::uint64_t n) {
  // Refuse the lowest 2^64 mod n values, which would be counted once too often.
  auto refused = (0 - n) % n;
  auto x = bits();
  while (x < refused)
    x = bits();
  return x % n;
}

double rng::normal() {
  // One bit fewer than `unit`, so that the half can be added exactly: never 0, never 1.
  return normal_quantile((static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52);
}

double normal_quantile(double p) {
  auto q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    auto r = 0.180625 - q * q;
    return q * polynomial(centre_above, r) / polynomial(centre_below, r);
  }
  auto r = std::sqrt(-stable_log(q < 0 ? p : 1 - p));
  auto x = r <= 5 ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                  : polynomial(far_above, r - 5) / polynomial(far_below, r - 5);
  return q < 0 ? -x : x;
}

std::uint64_t stable_hash(std::string_view text) {
  auto result = std::uint64_t{14695981039346656037ull};
  for (auto c : text) {
    result ^= static_cast<unsigned char>(c);
    result *= std::uint64_t{1099511628211ull};
  }
  return result;
}

} // namespace tune

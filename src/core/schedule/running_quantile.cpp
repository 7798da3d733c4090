// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/running_quantile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tune {

namespace {

template <class Order>
void push(std::vector<double>& heap, double x, Order order) {
  heap.push_back(x);
  std::push_heap(heap.begin(), heap.end(), order);
}

template <class Order>
double pop(std::vector<double>& heap, Order order) {
  std::pop_heap(heap.begin(), heap.end(), order);
  auto result = heap.back();
  heap.pop_back();
  return result;
}

constexpr std::less<double> largest_on_top;
constexpr std::greater<double> smallest_on_top;

} // namespace

void running_quantile::insert(double x) {
  if (std::isnan(x))
    return;
  if (low_.empty() || x <= low_.front())
    push(low_, x, largest_on_top);
  else
    push(high_, x, smallest_on_top);
  auto target = static_cast<std::uint64_t>(static_cast<double>(count() - 1) * q_) + 1;
  while (low_.size() > target)
    push(high_, pop(low_, largest_on_top), smallest_on_top);
  while (low_.size() < target && !high_.empty())
    push(low_, pop(high_, smallest_on_top), largest_on_top);
}

std::optional<double> running_quantile::value() const {
  if (low_.empty())
    return std::nullopt;
  auto p = static_cast<double>(count() - 1) * q_;
  auto f = p - std::floor(p);
  auto a = low_.front();
  if (f == 0 || high_.empty())
    return a;
  auto b = high_.front();
  if (std::isinf(a) || std::isinf(b))
    return a;
  return f < 0.5 ? a + (b - a) * f : b - (b - a) * (1 - f);
}

void running_quantile::describe(fingerprint& into) const {
  auto all = low_;
  all.insert(all.end(), high_.begin(), high_.end());
  std::sort(all.begin(), all.end());
  into.add(q_).add(std::uint64_t{all.size()});
  for (auto x : all)
    into.add(x);
}

} // namespace tune

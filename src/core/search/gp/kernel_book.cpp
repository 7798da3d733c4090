// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/kernel_book.hpp"

#include "tune/core/search/gp/targets.hpp"
#include "tune/core/search/transfer/memory.hpp"

#include <algorithm>
#include <numeric>

namespace tune::gp {

namespace {

/// Below this many results, fitting from scratch costs next to nothing.
constexpr std::size_t few = 20;
/// Beyond this many results, kernels are fitted to a portion of them.
constexpr std::size_t many = 200;
constexpr portion fitted_portion{100, 50, 50};
constexpr std::size_t stride_of_few = 10;
/// One anchor in this many is fitted from scratch only.
constexpr std::size_t block = 5;
constexpr int first_iterations = 40;
constexpr int next_iterations = 20;
constexpr std::size_t most_remembered_kernels = 64;

/// Distance between neighbouring anchors.
std::size_t stride_for(std::size_t count) {
  return count <= many ? stride_of_few : 2 * ((count + 49) / 50);
}

std::uint64_t digest_of(std::span<const learning::result> of) {
  fingerprint sum;
  for (const auto& x : of) {
    sum.add(static_cast<std::uint64_t>(x.how)).add(x.value);
    for (auto u : x.at)
      sum.add(u);
    for (auto y : x.missed)
      sum.add(y);
    if (x.spread)
      sum.add(std::uint64_t{x.spread->runs}).add(x.spread->squares).add(x.spread->worth);
  }
  return sum.digest();
}

/// A fit to results, or to a portion of them.
struct task {
  inputs at;
  std::vector<double> values;
  kernel_prior prior;

  task(const evidence& from, bool power)
      : at{*from.space}, prior{kernel_prior::of(from.space->mean_active())} {
    auto all = targets(from.results, power);
    auto noise = noises(from.results, power);
    for (auto i : chosen_of(from, all, fitted_portion)) {
      at.add(from.results[i].at, noise[i]);
      values.push_back(all[i]);
    }
    if (from.earlier != nullptr)
      values = without(at, std::move(values),
                       from.earlier->expected(at, values, power, *from.sources));
  }

  [[nodiscard]] fit from_nowhere() const {
    return descend(at, values, prior, first_guess(prior, at.dimensions()), first_iterations);
  }
  [[nodiscard]] fit from_here(kernel_logs start) const {
    return descend(at, values, prior, std::move(start), next_iterations);
  }
};

evidence first_of(const evidence& from, std::size_t count) {
  return {from.space, from.results.first(count), from.seed, from.earlier, from.sources};
}

} // namespace

std::vector<std::size_t> chosen_of(const evidence& from, const std::vector<double>& targets,
                                   portion how) {
  return portion_of(targets, how, from.seed);
}

std::vector<std::size_t> portion_of(const std::vector<double>& targets, portion how,
                                    std::uint64_t seed) {
  auto count = targets.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count <= how.best + how.newest + how.random)
    return order;
  std::vector<bool> taken(count);
  auto middle = order.begin() + static_cast<std::ptrdiff_t>(how.best);
  std::partial_sort(order.begin(), middle, order.end(), [&](auto a, auto b) {
    return targets[a] != targets[b] ? targets[a] < targets[b] : a < b;
  });
  for (auto i = order.begin(); i != middle; ++i)
    taken[*i] = true;
  auto left = how.newest;
  for (auto i = count; i-- > 0 && left > 0;) {
    left -= !taken[i];
    taken[i] = true;
  }
  rng chance{seed, "portion of results", count};
  for (left = how.random; left > 0;) {
    auto i = static_cast<std::size_t>(chance.below(count));
    left -= !taken[i];
    taken[i] = true;
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    if (taken[i])
      result.push_back(i);
  }
  return result;
}

const kernel_logs& kernel_book::anchor(const evidence& from, bool power, std::size_t count) {
  auto part = first_of(from, count);
  auto key = std::tuple{digest_of(part.results), power, from.earlier != nullptr};
  if (auto known = anchors_.find(key); known != anchors_.end())
    return known->second;
  task what{part, power};
  auto best = what.from_nowhere();
  auto begins_anew = count / stride_of_few % block == 0 || count < 2 * stride_of_few;
  if (count <= many && !begins_anew) {
    auto other = what.from_here(anchor(from, power, count - stride_of_few));
    if (other.misfit < best.misfit)
      best = std::move(other);
  }
  if (anchors_.size() >= most_remembered_kernels)
    anchors_.clear();
  return anchors_.insert_or_assign(key, std::move(best.logs)).first->second;
}

kernel_logs kernel_from_nowhere(const evidence& from, bool power) {
  return task{from, power}.from_nowhere().logs;
}

kernel_logs kernel_book::kernel_for(const evidence& from, bool power) {
  auto count = from.results.size();
  if (count < few)
    return kernel_from_nowhere(from, power);
  auto stride = stride_for(count);
  auto offset = power ? stride / 2 : 0;
  auto begin = anchor(from, power, (count - offset) / stride * stride + offset);
  return count <= many ? task{from, power}.from_here(std::move(begin)).logs : begin;
}

} // namespace tune::gp

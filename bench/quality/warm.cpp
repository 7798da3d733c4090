// SPDX-License-Identifier: BSD-3-Clause
#include "quality/warm.hpp"

#include "quality/parts.hpp"
#include "tune/core/search/encoding/encoding.hpp"

#include <cmath>
#include <stdexcept>

namespace tune::quality {

namespace {

std::shared_ptr<const encoding> laid_out(const std::shared_ptr<const search_space>& space) {
  return std::make_shared<const encoding>(std::move(*encoding::make(space, "the benchmark")));
}

/// The same function with all numbers moved up or down by a share of their range; those moved out
/// of it re-enter at the other end.
related_task moved(const problem& what, double by, std::uint64_t seed) {
  auto space = laid_out(what.space);
  std::vector<double> steps;
  rng chance{seed, "moved task", 0};
  for (std::size_t i = 0; i < space->dimensions(); ++i)
    steps.push_back(space->at(i).is_category() ? 0 : chance.unit() < 0.5 ? -by : by);
  auto f = [space, steps, g = what.f](const object& config) {
    auto at = *space->encoded(config);
    for (std::size_t i = 0; i < at.size(); ++i) {
      auto u = at[i] + steps[i];
      at[i] = std::isnan(u) || steps[i] == 0 ? at[i] : u < 0 ? -u : u > 1 ? 2 - u : u;
    }
    rng fill{1, "filled", 0};
    return 1000 + 100 * g(space->decoded(space->canonical(space->filled(at, fill))));
  };
  return {what.space, f, 100 * what.noise};
}

/// The problem without every second parameter, except those that conditions read; the missing ones
/// are fixed to the middle.
related_task halved(const problem& what) {
  auto whole = laid_out(what.space);
  std::vector<parameter> kept;
  cube_point middle(whole->dimensions(), 0.5);
  const auto& all = what.space->parameters();
  std::vector<bool> is_read(all.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (auto parent : what.space->parents(p))
      is_read[parent] = true;
  }
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (p % 2 == 0 || is_read[p])
      kept.push_back(all[p]);
  }
  auto made = search_space::make(std::move(kept));
  if (!made)
    throw std::logic_error{made.error().detail};
  auto f = [whole, middle, g = what.f](const object& config) {
    auto latent = middle;
    for (std::size_t i = 0; i < latent.size(); ++i) {
      const auto* given = find_parameter(config, whole->parameter_of(i).name);
      if (given != nullptr)
        latent[i] = *whole->at(i).coordinate(*given);
      else if (whole->at(i).is_category())
        latent[i] = 0;
    }
    return g(whole->decoded(whole->canonical(latent)));
  };
  return {std::make_shared<const search_space>(std::move(*made)), f, what.noise};
}

/// A sum of waves in random directions, about as long as the cube is wide.
related_task waves(const problem& what, std::uint64_t seed) {
  constexpr std::size_t count = 40;
  auto space = laid_out(what.space);
  rng chance{seed, "unrelated task", 0};
  auto d = space->dimensions();
  std::vector<double> phase;
  std::vector<double> slope;
  for (std::size_t k = 0; k < count; ++k) {
    phase.push_back(2 * pi * chance.unit());
    for (std::size_t i = 0; i < d; ++i)
      slope.push_back(5 * chance.normal() / std::sqrt(static_cast<double>(d)));
  }
  auto f = [space, phase, slope, d](const object& config) {
    auto at = *space->encoded(config);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto angle = phase[k];
      for (std::size_t i = 0; i < d; ++i)
        angle += std::isnan(at[i]) ? 0 : slope[k * d + i] * at[i];
      sum += std::cos(angle);
    }
    return sum;
  };
  return {what.space, f, what.noise};
}

} // namespace

std::vector<relation_of_task> all_relations() {
  using enum relation_of_task;
  return {same, near, far, half, negated, unrelated};
}

std::string name_of(relation_of_task x) {
  static const char* const names[] = {"same", "near", "far", "half", "negated", "unrelated"};
  return names[static_cast<std::size_t>(x)];
}

related_task task_of(const problem& what, relation_of_task how, std::uint64_t seed) {
  switch (how) {
    case relation_of_task::same:
      return {what.space, what.f, what.noise};
    case relation_of_task::near:
      return moved(what, 0.1, seed);
    case relation_of_task::far:
      return moved(what, 0.3, seed);
    case relation_of_task::half:
      return halved(what);
    case relation_of_task::negated:
      return {what.space, [g = what.f](const object& config) { return -g(config); }, what.noise};
    case relation_of_task::unrelated:
      return waves(what, seed);
  }
  return {};
}

} // namespace tune::quality

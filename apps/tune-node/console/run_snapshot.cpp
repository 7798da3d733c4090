// SPDX-License-Identifier: BSD-3-Clause
#include "console/run_snapshot.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/with_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tune::cli {
namespace {

using seconds = std::chrono::duration<double>;

std::optional<seconds> left_by_rate(const run_snapshot& x) {
  auto rate = trials_per_minute(x);
  if (!x.planned || !rate || *rate <= 0)
    return std::nullopt;
  auto ended = std::min(ended_trials(x), *x.planned);
  return seconds{60.0 * static_cast<double>(*x.planned - ended) / *rate};
}

std::string share(std::string_view name, double used, double total) {
  return std::string{name} + " " + number_text(used) + "/" + number_text(total);
}

/// "memory 2/8 GiB": both in the unit that suits the total.
std::string memory_share(std::uint64_t used, std::uint64_t total) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double scale = 1;
  while (unit + 1 < std::size(units) && static_cast<double>(total) >= scale * 1024) {
    scale *= 1024;
    ++unit;
  }
  auto scaled = [scale](std::uint64_t bytes) {
    return std::round(10 * static_cast<double>(bytes) / scale) / 10;
  };
  return share("memory", scaled(used), scaled(total)) + " " + std::string{units[unit]};
}

/// ", 1 of them leaving"; empty if none is.
std::string leaving_text(const run_snapshot& x) {
  if (x.leaving == 0)
    return {};
  return x.leaving == x.nodes ? ", leaving" : ", " + std::to_string(x.leaving) + " of them leaving";
}

} // namespace

bool have_same_objectives(const object& x, const object& y, const std::vector<objective>& which) {
  return std::all_of(which.begin(), which.end(), [&](const objective& what) {
    const auto* one = find_path(x, what.metric);
    const auto* other = find_path(y, what.metric);
    if (one == nullptr || other == nullptr)
      return true;
    const auto a = one->number();
    const auto b = other->number();
    return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
  });
}

std::uint64_t count_of(const run_snapshot& x, trial_status status) {
  return x.counts[static_cast<std::size_t>(status)];
}

std::uint64_t ended_trials(const run_snapshot& x) {
  return count_of(x, trial_status::terminated) + count_of(x, trial_status::errored);
}

std::uint64_t known_trials(const run_snapshot& x) {
  return std::accumulate(x.counts.begin(), x.counts.end(), std::uint64_t{0});
}

std::optional<double> trials_per_minute(const run_snapshot& x) {
  auto ended = ended_trials(x);
  if (ended == 0 || x.elapsed <= std::chrono::nanoseconds::zero())
    return std::nullopt;
  return 60.0 * static_cast<double>(ended) / seconds{x.elapsed}.count();
}

std::optional<std::chrono::nanoseconds> time_left(const run_snapshot& x) {
  constexpr seconds longest{100.0 * 365 * 24 * 3600}; // nanoseconds hold 292 years
  auto result = left_by_rate(x);
  if (x.time_limit > std::chrono::nanoseconds::zero()) {
    seconds until_limit = std::max(x.time_limit - x.elapsed, std::chrono::nanoseconds::zero());
    result = result ? std::min(*result, until_limit) : until_limit;
  }
  if (!result)
    return std::nullopt;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::min(*result, longest));
}

std::string with_error(double mean, double error) {
  auto result = short_text(value{mean});
  if (std::isnan(error))
    return result;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", error);
  return result + " ± " + text.data();
}

std::string judge_text(const run_statistics& x) {
  if (x.judge != run_judge::lower_bound)
    return std::string{to_text(x.judge)};
  // A bound of the score; where less is better, the metric itself is bounded from above.
  return x.judged > x.mean ? "upper bound" : "lower bound";
}

bool is_judged_by_mean(const run_statistics& x) {
  return x.judge == run_judge::mean || std::isnan(x.judged);
}

std::string runs_text(const run_statistics& x) {
  auto runs = " of " + std::to_string(x.runs);
  if (x.runs < x.wanted)
    runs += " of " + std::to_string(x.wanted);
  runs += (std::max(x.runs, x.wanted) == 1 ? " run" : " runs");
  runs += x.confirms ? " that confirm it" : "";
  const auto mean = with_error(x.mean, x.error);
  if (is_judged_by_mean(x))
    return "mean " + mean + runs;
  return "judged by the " + judge_text(x) + " " + short_text(value{x.judged}) + runs
         + ", whose mean is " + mean;
}

value best_value(const run_snapshot& x) {
  if (!x.best || !x.best->metrics || x.objectives.empty())
    return {};
  const auto* found = find_path(*x.best->metrics, x.objectives.front().metric);
  return found == nullptr ? value{} : *found;
}

std::vector<std::string> resource_texts(const run_snapshot& x) {
  std::vector<std::string> result;
  auto add = [&](std::string_view name, amount used, amount total) {
    if (total.units > 0)
      result.push_back(share(name, used.number(), total.number()));
  };
  add("cpu", x.used.cpu, x.total.cpu);
  add("gpu", x.used.gpu, x.total.gpu);
  if (x.used.memory > 0 && x.total.memory > 0)
    result.push_back(memory_share(x.used.memory, x.total.memory));
  for (const auto& [name, total] : x.total.custom) {
    auto used = x.used.custom.find(name);
    add(printable(name), used == x.used.custom.end() ? amount{} : used->second, total);
  }
  if (x.nodes != 1 || x.leaving > 0)
    result.push_back(counted(x.nodes, "node") + leaving_text(x));
  return result;
}

std::vector<std::string> count_texts(const run_snapshot& x) {
  using enum trial_status;
  constexpr std::pair<trial_status, std::string_view> order[]
      = {{running, "running"}, {errored, "errored"}, {paused, "paused"}, {pending, "pending"}};
  std::vector<std::string> result;
  for (auto [status, name] : order) {
    if (auto n = count_of(x, status); n > 0)
      result.push_back(std::to_string(n) + " " + std::string{name});
  }
  return result;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/sobol/sobol.hpp"

#include "tune/core/search/missing_samples.hpp"

#include <algorithm>
#include <limits>

namespace tune::sobol {

namespace {

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();
/// Members of the sequence that may violate the constraint in succession.
constexpr std::uint64_t most_passed_over = 100'000;

bool is_constant(const parameter& x) {
  return std::holds_alternative<constant>(x.what);
}

expected<std::size_t> count_dimensions(const search_space& space) {
  std::size_t result = 0;
  for (const auto& x : space.parameters()) {
    if (std::holds_alternative<grid_of>(x.what))
      return error{ec::bad_option, '"' + x.name
                                       + "\": sobol does not run every value of a grid; write "
                                         "choice(…), or search with type = random"};
    result += !is_constant(x);
  }
  if (result > sequence::most_dimensions)
    return error{ec::bad_option, "sobol takes at most " + std::to_string(sequence::most_dimensions)
                                     + " parameters that are no constants, not "
                                     + std::to_string(result)};
  return result;
}

} // namespace

expected<generator> generator::make(const searcher_context& about) {
  auto dimensions = count_dimensions(*about.space);
  if (!dimensions)
    return dimensions.error();
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  return generator{about, std::move(*points), *dimensions};
}

generator::generator(const searcher_context& about, initial_points points, std::size_t dimensions)
    : space_{about.space}
    , seed_{about.seed}
    , points_{std::move(points)}
    , sequence_{dimensions, about.seed}
    , end_{about.samples == 0 ? endless : std::max<std::uint64_t>(about.samples, points_.size())} {}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 256;
  result.learns = false;
  result.exhaustible = true;
  result.prompt = true;
  return result;
}

void generator::fill_point(std::vector<value>& values, std::uint64_t point) const {
  rng from{seed_, "sobol points", point};
  values = points_.filled(static_cast<std::size_t>(point), *space_, from);
}

std::optional<std::uint64_t> generator::settle(std::vector<value>& values,
                                               std::uint64_t index) const {
  for (std::uint64_t i = 0; i < most_passed_over; ++i) {
    fill(values, index + i);
    if (space_->allows(values))
      return index + i;
  }
  return std::nullopt;
}

void generator::fill(std::vector<value>& values, std::uint64_t index) const {
  std::size_t dimension = 0;
  std::vector<double> at(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& x = space_->parameters()[i];
    at[i] = is_constant(x) ? 0 : sequence_.at(index, dimension);
    values[i] = at_quantile(x.what, at[i]);
    dimension += !is_constant(x);
  }
  space_->place(values, at);
}

proposal generator::propose(const ask& question) const {
  auto n = std::min<std::uint64_t>(question.count, end_ - suggested_);
  if (n == 0)
    return exhausted{"all " + std::to_string(end_) + " samples" + std::string{all_made}};
  std::vector<suggestion> result;
  result.reserve(static_cast<std::size_t>(n));
  std::vector<value> values(space_->parameters().size());
  auto index = index_;
  for (auto i = suggested_; i < suggested_ + n; ++i) {
    auto is_point = i < points_.size();
    if (is_point) {
      fill_point(values, i);
    } else {
      auto found = settle(values, index);
      if (!found)
        break;
      index = *found + 1;
    }
    result.push_back({std::make_shared<const object>(space_->assemble(values)),
                      is_point ? "point " + std::to_string(i + 1) : "sobol"});
  }
  if (result.empty())
    return exhausted{std::string{samples_missing}
                     + "no configuration that keeps the constraint was found any more"};
  return result;
}

void generator::apply(const searcher_fact& what) {
  const auto* told = std::get_if<suggested_fact>(&what.what);
  const auto* list = told ? std::get_if<std::vector<suggestion>>(&told->what) : nullptr;
  if (list == nullptr)
    return;
  auto before = std::max<std::uint64_t>(suggested_, points_.size());
  suggested_ = std::min(end_, suggested_ + list->size());
  auto drawn = suggested_ - std::min(suggested_, before);
  if (space_->allows_all()) {
    index_ += drawn;
    return;
  }
  std::vector<value> values(space_->parameters().size());
  for (std::uint64_t i = 0; i < drawn; ++i)
    index_ = settle(values, index_).value_or(index_) + 1;
}

void generator::describe(fingerprint& into) const {
  into.add(suggested_);
}

searcher_catalogue::entry make_entry() {
  using made = expected<std::unique_ptr<searcher>>;
  return {"sobol",
          "quasi-random: fills the space more evenly than random search; no grids",
          "Bratley, Fox, ACM TOMS 14, 1988; scrambled after Matoušek, J. Complexity 14, 1998",
          {},
          [](const options&, const searcher_context& about) {
            auto result = generator::make(about);
            return result ? made{std::make_unique<generator>(std::move(*result))}
                          : made{result.error()};
          }};
}

} // namespace tune::sobol

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/variant/variant.hpp"

#include "tune/core/search/missing_samples.hpp"
#include "tune/core/search/variant/exclusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tune::variant_search {

namespace {

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();
/// Draws made to find one configuration that meets the constraint.
constexpr std::uint64_t most_draws = 100'000;
/// Total draws beside grids, where some combinations may allow no configuration. Each combination
/// that is given up leaves fewer draws for the next, so that even a grid full of such ones ends.
constexpr std::uint64_t most_draws_in_vain = 1'000'000;
constexpr std::uint64_t fewest_draws = 300;

bool is_drawn(const parameter& x) {
  return !std::holds_alternative<grid_of>(x.what) && !std::holds_alternative<constant>(x.what);
}

std::vector<bool> fixed_by(const initial_points& points, std::size_t point, std::size_t width) {
  std::vector<bool> result(width);
  for (std::size_t i = 0; i < width; ++i)
    result[i] = points.fixed(point, i) != nullptr;
  return result;
}

/// `start` + `n` · `each`, or `endless` on overflow.
std::uint64_t end_of(std::uint64_t start, std::uint64_t n, std::uint64_t each) {
  return n > (endless - start) / each ? endless : start + n * each;
}

} // namespace

expected<generator> generator::make(settings rules, const searcher_context& about,
                                    std::shared_ptr<const search_space> whole) {
  generator result;
  result.rules_ = rules;
  result.space_ = about.space;
  result.whole_ = whole != nullptr ? std::move(whole) : about.space;
  result.seed_ = about.seed;
  result.draws_
      = std::any_of(about.space->parameters().begin(), about.space->parameters().end(), is_drawn);
  auto points = initial_points::make(*result.whole_, about.points);
  if (!points)
    return points.error();
  result.points_ = std::move(*points);
  auto width = about.space->parameters().size();
  auto grids = odometer::make(*about.space, std::vector<bool>(width));
  if (!grids)
    return grids.error();
  result.grids_ = std::move(*grids);
  for (std::size_t p = 0; p < result.points_.size(); ++p) {
    // A part has fewer digits than the whole grid, which was not too large.
    auto part = odometer::make(*about.space, fixed_by(result.points_, p, width));
    if (!part)
      return part.error();
    result.point_starts_.push_back(result.rest_);
    result.rest_ = end_of(result.rest_, 1, part->combinations());
    result.point_grids_.push_back(std::move(*part));
  }
  if (result.rest_ == endless)
    return error{ec::bad_option, "points: the grids of all have more than 2^64 combinations"};
  auto samples = std::max<std::uint64_t>(about.samples, result.points_.size());
  result.end_ = about.samples == 0 ? endless
                                   : end_of(result.rest_, samples - result.points_.size(),
                                            result.grids_.combinations());
  return result;
}

std::optional<extent> generator::whole_extent() const {
  if (end_ == endless)
    return std::nullopt;
  const auto are_conditional = grids_.conditional()
                               || std::any_of(point_grids_.begin(), point_grids_.end(),
                                              [](const odometer& x) { return x.conditional(); });
  // One configuration comes of every draw, and of every point that leaves nothing open.
  const auto are_grids = !grids_.digits().empty();
  if (!are_conditional && (!are_grids || (whole_ == space_ && space_->allows_all())))
    return extent{end_, false};
  if (draws_ || end_ > most_counted)
    return extent{end_, true};
  auto fresh = *this;
  fresh.position_ = 0;
  const auto all = fresh.propose({1, static_cast<std::uint32_t>(end_)}, {0, false});
  const auto* list = std::get_if<std::vector<suggestion>>(&all);
  return extent{list == nullptr ? 0 : list->size(), false};
}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 256;
  result.learns = false;
  result.exhaustible = true;
  result.prompt = true;
  return result;
}

generator::place generator::locate(std::uint64_t position) const {
  if (position >= rest_) {
    auto extra = (position - rest_) / grids_.combinations();
    return {points_.size() + extra, rest_ + extra * grids_.combinations(), &grids_};
  }
  auto after = std::upper_bound(point_starts_.begin(), point_starts_.end(), position);
  auto p = static_cast<std::size_t>(after - point_starts_.begin()) - 1;
  return {p, point_starts_[p], &point_grids_[p]};
}

void generator::fill(std::vector<value>& values, const place& where, std::uint64_t position,
                     std::uint64_t again) const {
  auto stream = again == 0 ? std::string{"variant"} : "variant again " + std::to_string(again);
  rng from{seed_, stream, rules_.constant_grid_search ? where.sample : position};
  const auto& parameters = space_->parameters();
  std::vector<double> at(space_->has_dependent() ? parameters.size() : 0);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& what = parameters[i].what;
    // A fixed parameter still takes its draw, so that the others do not change.
    if (space_->is_dependent(i))
      at[i] = from.unit();
    else if (is_drawn(parameters[i]))
      values[i] = sample(what, from);
    else if (const auto* same = std::get_if<constant>(&what))
      values[i] = same->what;
    const auto* given = where.sample < points_.size()
                            ? points_.fixed(static_cast<std::size_t>(where.sample), i)
                            : nullptr;
    if (given != nullptr)
      values[i] = *given;
    if (given != nullptr && space_->is_dependent(i))
      at[i] = std::nan("");
  }
  for (const auto& x : where.grids->digits()) {
    const auto& options = std::get_if<grid_of>(&parameters[x.parameter].what)->options;
    values[x.parameter] = options[static_cast<std::size_t>(x.at(position - where.start))];
  }
  space_->place(values, at);
}

bool generator::is_excluded(const std::vector<value>& values, const place& where) const {
  const auto& parameters = space_->parameters();
  std::vector<const value*> known(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto is_given = where.sample < points_.size()
                    && points_.fixed(static_cast<std::size_t>(where.sample), i) != nullptr;
    if (is_given || !is_drawn(parameters[i]))
      known[i] = &values[i];
  }
  return excludes(*space_, known);
}

std::uint64_t generator::most_tries(const place& where, const patience& with) const {
  if (where.grids->digits().empty())
    return most_draws;
  if (with.is_short)
    return fewest_draws;
  return std::clamp(most_draws_in_vain / (with.given_up + 1), fewest_draws, most_draws);
}

bool generator::draw(std::vector<value>& values, const place& where, std::uint64_t position,
                     patience& with) const {
  fill(values, where, position, 0);
  if (whole_->allows(values))
    return true;
  if (!draws_ || is_excluded(values, where))
    return false;
  const auto tries = most_tries(where, with);
  for (std::uint64_t again = 1; again <= tries; ++again) {
    fill(values, where, position, again);
    if (whole_->allows(values))
      return true;
  }
  ++with.given_up;
  return false;
}

std::uint64_t generator::settle(std::uint64_t position, std::vector<value>& values,
                                patience& with) const {
  while (position < end_) {
    auto where = locate(position);
    if (!draw(values, where, position, with)) {
      ++position;
      continue;
    }
    if (!where.grids->conditional())
      return position;
    auto next = where.grids->skip(position - where.start, space_->active(values));
    if (!next)
      return position;
    // The stride may reach beyond the end of the sample.
    position = where.start + std::min(*next, where.grids->combinations());
  }
  return end_;
}

std::string generator::origin(const place& where) const {
  if (where.sample < points_.size())
    return "point " + std::to_string(where.sample + 1);
  return grids_.digits().empty() ? "random" : "grid";
}

proposal generator::propose(const ask& question) const {
  return propose(question, {given_up_, false});
}

std::vector<proposal> generator::earlier_proposals(const ask& question) const {
  if (space_->constraint() == nullptr || !draws_ || grids_.digits().empty())
    return {};
  return {propose(question, {given_up_, true})};
}

proposal generator::propose(const ask& question, patience with) const {
  std::vector<suggestion> result;
  result.reserve(std::min<std::size_t>(question.count, 1024));
  std::vector<value> values(space_->parameters().size());
  auto position = position_;
  while (result.size() < question.count) {
    position = settle(position, values, with);
    if (position >= end_)
      break;
    result.push_back(
        {std::make_shared<const object>(space_->assemble(values)), origin(locate(position))});
    ++position;
  }
  if (result.empty())
    return end_of_all(with.given_up);
  return result;
}

exhausted generator::end_of_all(std::uint64_t given_up) const {
  if (given_up == 0)
    return {"all " + std::to_string(suggested_) + " configurations" + std::string{all_made}};
  const auto* what = grids_.digits().empty() ? " more" : " more combinations of the grids";
  const auto* rule = whole_->constraint();
  return {std::string{samples_missing} + std::to_string(suggested_)
          + " configurations were suggested; " + std::to_string(given_up) + what
          + " were given up, as no draw of up to " + std::to_string(most_draws) + " for each kept "
          + (rule != nullptr ? rule->text() : "to the ranges that depend on others")};
}

void generator::go_to(const object& config) {
  std::vector<value> values(space_->parameters().size());
  patience now{given_up_, false};
  auto found = settle(position_, values, now);
  if (found == end_ || space_->assemble(values) != config) {
    patience before{given_up_, true};
    auto earlier = settle(position_, values, before);
    if (earlier != end_ && space_->assemble(values) == config) {
      found = earlier;
      now = before;
    }
  }
  given_up_ = now.given_up;
  position_ = std::min(found, end_ - 1) + 1;
}

void generator::apply(const searcher_fact& what) {
  const auto* told = std::get_if<suggested_fact>(&what.what);
  const auto* list = told ? std::get_if<std::vector<suggestion>>(&told->what) : nullptr;
  if (list == nullptr)
    return;
  suggested_ += list->size();
  for (const auto& x : *list) {
    // Counting is only needed if combinations may be skipped.
    auto simple
        = whole_ == space_ && space_->allows_all()
          && (position_ >= rest_ ? !grids_.conditional() : !locate(position_).grids->conditional());
    if (simple)
      position_ = std::min(position_, end_ - 1) + 1;
    else
      go_to(*x.config);
  }
}

void generator::describe(fingerprint& into) const {
  into.add(position_).add(suggested_).add(given_up_);
}

} // namespace tune::variant_search

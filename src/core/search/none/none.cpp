// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/none/none.hpp"

#include "tune/core/rng.hpp"

#include <algorithm>
#include <utility>

namespace tune::no_search {

expected<generator> generator::make(const searcher_context& about) {
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  generator result;
  result.space_ = about.space;
  result.seed_ = about.seed;
  result.points_ = std::move(*points);
  return result;
}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 0;
  result.learns = false;
  result.prompt = true;
  return result;
}

object generator::filled(std::uint64_t point) const {
  rng from{seed_, "none points", point};
  return space_->assemble(points_.filled(static_cast<std::size_t>(point), *space_, from));
}

proposal generator::propose(const ask& question) const {
  std::vector<suggestion> result;
  auto end = std::min<std::uint64_t>(points_.size(), suggested_ + question.count);
  for (auto i = suggested_; i < end; ++i)
    result.push_back({std::make_shared<const object>(filled(i)), "point " + std::to_string(i + 1)});
  return result.empty() ? proposal{nothing_yet{}} : proposal{std::move(result)};
}

void generator::apply(const searcher_fact& what) {
  const auto* told = std::get_if<suggested_fact>(&what.what);
  const auto* list = told ? std::get_if<std::vector<suggestion>>(&told->what) : nullptr;
  if (list != nullptr)
    suggested_ += list->size();
}

void generator::describe(fingerprint& into) const {
  into.add(suggested_);
}

searcher_catalogue::entry make_entry() {
  using made = expected<std::unique_ptr<searcher>>;
  return {"none",
          "the points alone, and what `add` brings, until the run is stopped",
          "",
          {},
          [](const options&, const searcher_context& about) {
            auto result = generator::make(about);
            return result ? made{std::make_unique<generator>(std::move(*result))}
                          : made{result.error()};
          }};
}

} // namespace tune::no_search

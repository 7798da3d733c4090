// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/learner.hpp"

#include "tune/core/search/encoding/design.hpp"
#include "tune/core/search/learner/user_point.hpp"

#include <algorithm>
#include <utility>

namespace tune::learning {

expected<generator> generator::make(settings how, std::shared_ptr<const rule> by,
                                    const searcher_context& about) {
  if (about.objectives > 1 && !by->takes_several())
    return error{ec::bad_option,
                 how.name + " optimises 1 objective, not " + std::to_string(about.objectives)};
  if (!about.earlier.empty() && (about.objectives > 1 || !by->learns_earlier()))
    return error{ec::bad_option, "learn_from: " + how.name
                                     + " learns nothing from earlier experiments"
                                     + (by->learns_earlier() ? " with several objectives" : "")};
  auto space = encoding::make(about.space, how.name);
  if (!space)
    return space.error();
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  return generator{std::move(how), std::move(by), about, std::move(*points), std::move(*space)};
}

generator::generator(settings how, std::shared_ptr<const rule> by, const searcher_context& about,
                     initial_points points, encoding space)
    : how_{std::move(how)}
    , rule_{std::move(by)}
    , seed_{about.seed}
    , points_{std::move(points)}
    , past_{std::make_shared<const encoding>(std::move(space)), rule_->sees_courses()}
    , book_{std::make_shared<workbook>()}
    , later_book_{std::make_shared<workbook>()} {
  if (how_.startup == 0)
    how_.startup = rule_->usual_startup();
  if (how_.startup == 0)
    how_.startup = design_size(past_.space());
  auto is_there = points_.size() + about.known.size();
  auto count = how_.startup - std::min<std::uint64_t>(how_.startup, is_there);
  if (!about.earlier.empty())
    earlier_.emplace(past_.space(), about.earlier, seed_);
  lay_out(static_cast<std::size_t>(count));
}

void generator::lay_out(std::size_t count) {
  std::vector<transfer::first_point> all;
  if (earlier_)
    all = transfer::first_points(past_.space(), earlier_->sources(),
                                 transfer::count_of_first(count, earlier_->sources().size()),
                                 seed_);
  auto origin = "middle";
  for (auto& x : initial_design(past_.space(), count, seed_))
    all.push_back({std::move(x), std::exchange(origin, "design")});
  auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  spare_ = std::make_shared<const std::vector<transfer::first_point>>(end, all.end());
  all.erase(end, all.end());
  design_ = std::make_shared<const std::vector<transfer::first_point>>(std::move(all));
}

outlook generator::view(std::optional<trial_id> draft) const {
  return {past_, seed_, draft, earlier_ ? &*earlier_ : nullptr};
}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 1;
  result.objectives = rule_->takes_several() ? 0 : 1;
  result.learns = true;
  result.prompt = how_.prompt;
  result.learns_earlier = rule_->learns_earlier();
  result.sketches = !how_.prompt;
  return result;
}

void generator::apply(const searcher_fact& what) {
  past_.apply(what);
  if (earlier_)
    earlier_->hear(past_.results());
}

/// Reason to end although there is more to try; empty if there is none. Asks for drafts never end
/// the search: their replacements are asked for when a trial begins.
std::optional<exhausted> generator::end_for(const ask& question) const {
  auto from = view({});
  if (how_.regret_below <= 0 || question.trial || question.drafts == drafting::quick
      || from.number() < points_.size() + design_->size())
    return std::nullopt;
  auto bound = rule_->regret_bound(from, *book_);
  if (!bound || *bound > how_.regret_below)
    return std::nullopt;
  return exhausted{"no more than " + to_text(value{*bound}) + " is to be gained"};
}

proposal generator::propose(const ask& question) const {
  if (auto end = end_for(question))
    return *end;
  std::vector<suggestion> result;
  auto from = view(question.trial);
  while (result.size() < question.count) {
    auto found = next(from, question.drafts);
    if (!found)
      break;
    result.push_back(std::move(*found));
  }
  if (!result.empty())
    return result;
  // A pending trial may get lost, and its configuration may be tried again.
  if (past_.has_pending())
    return nothing_yet{};
  return exhausted{"all configurations of the space were tried"};
}

deferred_proposal generator::propose_later(const ask& question) const {
  auto number = view(question.trial).number();
  // With nothing to learn from there is nothing to think about, however many trials are open.
  const auto knows_nothing = past_.results().empty() && past_.courses().empty() && !earlier_;
  if (how_.prompt || question.drafts == drafting::quick || number < how_.startup || knows_nothing
      || rule_->is_quick(past_))
    return {};
  auto copy = std::make_shared<generator>(*this);
  copy->book_ = later_book_;
  return [from = std::shared_ptr<const generator>{std::move(copy)}, question] {
    return from->propose(question);
  };
}

std::optional<suggestion> generator::next(outlook& from, drafting drafts) const {
  if (from.number() < points_.size())
    return point(from);
  auto found = chosen(from, drafts);
  if (!found)
    return std::nullopt;
  auto is_learnt = from.number() >= points_.size() + design_->size();
  suggestion result{std::make_shared<const object>(from.space().decoded(found->at)),
                    std::move(found->origin), is_learnt && drafts != drafting::none};
  from.add(std::move(found->at));
  return result;
}

suggestion generator::point(outlook& from) const {
  auto number = static_cast<std::size_t>(from.number());
  auto made = user_point_of(points_, number, from.space(), seed_);
  from.add(std::move(made.at));
  return {std::move(made.config), user_point_origin(number)};
}

/// The next point of the design; null once all were used.
const transfer::first_point* generator::planned(const outlook& from) const {
  auto number = static_cast<std::size_t>(from.number() - points_.size());
  if (number < design_->size())
    return &(*design_)[number];
  number -= design_->size();
  if (number >= spare_->size() || !earlier_->backings(from.past().results()).empty())
    return nullptr;
  return &(*spare_)[number];
}

namespace {

/// Origin of a random point that replaces a planned one: that was tried, or breaks a constraint.
std::string origin_instead_of(const transfer::first_point& planned, const cube_point& at,
                              const outlook& from) {
  return "random: " + planned.origin
         + (from.space().allows(at) ? " was tried before" : " breaks a constraint");
}

} // namespace

std::optional<pick> generator::chosen(const outlook& from, drafting drafts) const {
  std::string origin = "random";
  if (const auto* x = planned(from)) {
    auto at = from.space().canonical(x->at);
    if (!from.is_taken(at))
      return pick{std::move(at), x->origin};
    origin = origin_instead_of(*x, at, from);
  } else if (auto found
             = drafts == drafting::quick ? rule_->sketch(from) : rule_->next(from, *book_)) {
    return found;
  }
  auto free = free_point(from);
  return free ? std::optional<pick>{{std::move(*free), std::move(origin)}} : std::nullopt;
}

std::optional<explanation> generator::explain(const ask& question,
                                              const std::vector<suggestion>& answer,
                                              std::size_t which) const {
  auto from = view(question.trial);
  for (std::size_t i = 0; i < which; ++i) {
    if (auto at = past_.space().encoded(*answer[i].config))
      from.add(std::move(*at));
  }
  auto at = past_.space().encoded(*answer[which].config);
  if (!at || from.number() < points_.size() + design_->size())
    return std::nullopt;
  auto found = rule_->explain(from, {std::move(*at), answer[which].origin}, *book_);
  if (found && !found->nearest)
    found->nearest = nearest_result(past_, *past_.space().encoded(*answer[which].config));
  return found;
}

void generator::describe(fingerprint& into) const {
  past_.describe(into);
}

} // namespace tune::learning

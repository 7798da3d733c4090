// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/external/external.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/search/external/message.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tune::external {

namespace {

/// Lock on the process: nobody else may talk to it meanwhile.
class turn {
public:
  explicit turn(partner& who) : who_{who} { who_.enter(); }
  ~turn() { who_.leave(); }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

private:
  partner& who_;
};

} // namespace

expected<std::unique_ptr<searcher>> generator::make(const settings& how,
                                                    const searcher_context& about) {
  for (const auto& x : about.space->parameters()) {
    if (std::holds_alternative<grid_of>(x.what))
      return error{ec::bad_option, "\"" + x.name + "\": external searches no grids; use choice"};
  }
  if (about.space->constraint() != nullptr)
    return error{ec::bad_option,
                 "\"constraint\": external does not keep it; let trials that miss it "
                 "fail, or take another searcher"};
  auto points = initial_points::make(*about.space, about.points);
  if (!points)
    return points.error();
  std::unique_ptr<partner> who;
  if (about.partners) {
    auto made = about.partners(how.start);
    if (!made)
      return made.error();
    who = std::move(*made);
  }
  return std::unique_ptr<searcher>{new generator{how, about, std::move(*points), std::move(who)}};
}

generator::generator(const settings& how, const searcher_context& about, initial_points points,
                     std::unique_ptr<partner> who)
    : space_{about.space}, seed_{about.seed}, points_{std::move(points)}, past_{how.reports} {
  if (who != nullptr)
    session_ = std::make_shared<session>(session{
        std::move(who),
        talk{{about.space, about.metrics, begin_message(about, how.options), how.max_restarts}}});
}

generator::~generator() {
  if (session_ != nullptr)
    session_->who->close([this] { return session_->words.last_words(past_.whole()); });
}

searcher_traits generator::traits() const {
  searcher_traits result;
  result.ahead = 1;
  result.objectives = 0;
  result.learns = true;
  result.recomputes = false;
  return result;
}

object generator::filled(std::uint64_t point) const {
  rng from{seed_, "external points", point};
  return space_->assemble(points_.filled(static_cast<std::size_t>(point), *space_, from));
}

proposal generator::next_points(const ask& question) const {
  std::vector<suggestion> result;
  auto end = std::min<std::uint64_t>(points_.size(), past_.suggested() + question.count);
  for (auto i = past_.suggested(); i < end; ++i)
    result.push_back({std::make_shared<const object>(filled(i)), "point " + std::to_string(i + 1)});
  return result;
}

proposal generator::answer_of(session& with, std::uint64_t id, past before) {
  turn mine{*with.who};
  auto answer = consult(with.words, *with.who, id, std::move(before));
  if (!answer)
    throw std::runtime_error{answer.error().detail};
  return std::move(*answer);
}

proposal generator::propose(const ask& question) const {
  if (has_points())
    return next_points(question);
  if (session_ == nullptr)
    return nothing_yet{};
  return answer_of(*session_, question.number, past_.until(question.at));
}

deferred_proposal generator::propose_later(const ask& question) const {
  if (has_points() || session_ == nullptr)
    return {};
  return [with = session_, id = question.number, before = past_.until(question.at)]() mutable {
    return answer_of(*with, id, std::move(before));
  };
}

} // namespace tune::external

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/external/talk.hpp"

#include "tune/core/search/external/answer.hpp"
#include "tune/core/search/external/message.hpp"

#include <algorithm>
#include <utility>

namespace tune::external {

namespace {

/// Messages that are formatted at a time.
constexpr std::size_t portion_size = 256;

std::string counted(std::uint32_t n) {
  return n == 1 ? "1 fault" : std::to_string(n) + " faults";
}

bool is_power_of_ten(std::uint64_t n) {
  while (n > 1 && n % 10 == 0)
    n /= 10;
  return n == 1;
}

/// The first line of a fault with several lines, and the last: of what the process wrote to stderr
/// that is mostly the telling one.
std::string in_brief(const std::string& why) {
  const auto first = why.find('\n');
  if (first == why.npos)
    return why;
  const auto end = why.find_last_not_of(" \n");
  const auto begin = why.find_first_not_of(' ', why.rfind('\n', end) + 1);
  return begin > end || begin < first
             ? why.substr(0, first)
             : why.substr(0, first) + " " + why.substr(begin, end + 1 - begin);
}

} // namespace

void talk::ask(std::uint64_t id, past before) {
  id_ = id;
  before_ = std::move(before);
  answer_.reset();
  failure_.reset();
  if (phase_ == phase::asked || phase_ == phase::again)
    phase_ = phase::telling;
}

next_step talk::step() {
  if (answer_)
    return next::settled{*answer_};
  if (failure_)
    return next::failed{*failure_};
  if (warning_)
    return next::warn{*std::exchange(warning_, std::nullopt)};
  switch (phase_) {
    case phase::absent:
      phase_ = phase::begun;
      told_ = 0;
      return next::start{};
    case phase::begun:
      phase_ = phase::greeting;
      return next::tell{{about_.begin}};
    case phase::telling:
      return portion();
    case phase::again:
      phase_ = phase::asked;
      return next::tell{{refused_message(id_, refused_), suggest_message(id_)}};
    case phase::greeting:
    case phase::asked:
      break;
  }
  return next::listen{};
}

next::tell talk::portion() {
  next::tell result;
  auto end = std::min(before_.size(), told_ + portion_size);
  for (; told_ < end; ++told_)
    result.what.push_back(message_of(*before_[told_], *about_.space, about_.metrics));
  if (told_ >= before_.size()) {
    phase_ = phase::asked;
    result.what.push_back(suggest_message(id_));
  }
  return result;
}

void talk::hear(const heard& what) {
  std::visit([this](const auto& x) { take(x); }, what);
}

void talk::take(const line_heard& what) {
  if (phase_ == phase::asked)
    return take_answer(what.said);
  if (phase_ != phase::greeting)
    return take(partner_lost{"it spoke without being asked"});
  auto why = why_no_greeting(what.said);
  if (why.empty())
    phase_ = phase::telling;
  else
    // A restarted process would give the same greeting.
    take(partner_lost{std::move(why), true});
}

void talk::take(const partner_lost& what) {
  phase_ = phase::absent;
  if (what.for_good) {
    failure_ = what.why;
    return;
  }
  count_fault(what.why);
  if (!failure_)
    warn_of_restart(what.why);
}

void talk::take_answer(const object& said) {
  auto made = read_answer(said, id_, *about_.space);
  if (auto* fault = std::get_if<breach>(&made)) {
    take(partner_lost{std::move(fault->why)});
  } else if (auto* wrong = std::get_if<refused>(&made)) {
    phase_ = phase::again;
    refused_ = wrong->why;
    count_fault("it suggested what is none of the space: " + wrong->why);
    if (!failure_)
      warn_of_refusal();
  } else {
    phase_ = phase::telling;
    faults_ = 0;
    answer_ = std::move(std::get<proposal>(made));
  }
}

void talk::count_fault(const std::string& why) {
  ++faults_;
  if (faults_ > about_.max_restarts)
    failure_ = why + (faults_ == 1 ? "" : " (" + counted(faults_) + " without a good answer)");
}

void talk::warn_of_restart(const std::string& why) {
  if (!is_power_of_ten(++restarts_))
    return;
  warning_ = "the searcher's process is begun anew, " + std::to_string(restarts_)
             + (restarts_ == 1 ? " time" : " times") + " so far: " + in_brief(why)
             + "; the next warning of it comes at the " + std::to_string(10 * restarts_)
             + "th time";
}

void talk::warn_of_refusal() {
  if (!std::exchange(has_told_refusal_, true))
    warning_ = "the searcher is asked once more, since it suggested what is none of the space: "
               + refused_ + "; of further ones it alone is told";
}

std::vector<object> talk::last_words(const past& all) const {
  std::vector<object> result;
  if (phase_ != phase::telling)
    return result;
  for (auto i = told_; i < all.size(); ++i)
    result.push_back(message_of(*all[i], *about_.space, about_.metrics));
  result.push_back(end_message());
  return result;
}

namespace {

/// Carries out a step. @returns whether there is another one.
bool carry_out(talk& with, partner& who, const next_step& what) {
  if (const auto* words = std::get_if<next::tell>(&what))
    who.tell(words->what);
  else if (std::holds_alternative<next::start>(what))
    who.begin();
  else if (std::holds_alternative<next::listen>(what))
    with.hear(who.hear());
  else if (const auto* fault = std::get_if<next::warn>(&what))
    who.warn(fault->text);
  else
    return false;
  return true;
}

} // namespace

expected<proposal> consult(talk& with, partner& who, std::uint64_t id, past before) {
  with.ask(id, std::move(before));
  auto step = with.step();
  while (carry_out(with, who, step))
    step = with.step();
  if (const auto* done = std::get_if<next::settled>(&step))
    return done->what;
  return error{ec::process, std::get<next::failed>(step).why};
}

} // namespace tune::external

/// Drives a searcher by hand: asks it, tells it the recorded answer, and keeps what it suggested.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"

#include <gtest/gtest.h>

namespace tune::support {

/// A searcher with the bookkeeping that the experiment does for it.
class asking {
public:
  explicit asking(std::unique_ptr<searcher> uut) : uut_{std::move(uut)} {}

  /// Asks once and applies the answer.
  proposal next(std::uint32_t count) { return take({asks_ + 1, count, seq_}); }
  /// Asks for one suggestion, which may be a draft, and applies the answer.
  proposal draft(drafting kind) { return take({asks_ + 1, 1, seq_, kind}); }
  /// Asks for a replacement of the draft `trial` and applies the answer.
  proposal think_over(trial_id trial) { return take({asks_ + 1, 1, seq_, drafting::none, trial}); }

  /// Queues an observation for the next question.
  void tell(observation what) {
    facts_.push_back({++seq_, std::move(what)});
    uut_->apply(facts_.back());
  }

  [[nodiscard]] searcher& uut() { return *uut_; }
  [[nodiscard]] const std::vector<searcher_fact>& facts() const { return facts_; }
  [[nodiscard]] std::uint64_t asks() const { return asks_; }
  [[nodiscard]] std::uint64_t trials() const { return trials_; }
  [[nodiscard]] sequence seq() const { return seq_; }

private:
  proposal take(const ask& question) {
    auto answer = uut_->propose(question);
    auto first = question.trial.value_or(trial_id{trials_});
    searcher_fact fact{++seq_, suggested_fact{++asks_, answer, first}};
    uut_->apply(fact);
    if (const auto* list = std::get_if<std::vector<suggestion>>(&answer); list && !question.trial)
      trials_ += list->size();
    facts_.push_back(std::move(fact));
    return answer;
  }

  std::unique_ptr<searcher> uut_;
  std::vector<searcher_fact> facts_;
  std::uint64_t asks_ = 0;
  std::uint64_t trials_ = 0;
  sequence seq_ = 0;
};

inline std::shared_ptr<const search_space> space_of(const std::vector<parameter_text>& lines) {
  auto result = search_space::parse(lines);
  EXPECT_TRUE(result) << result.error().detail;
  return std::make_shared<const search_space>(result ? std::move(*result) : search_space{});
}

/// Makes the shipped searcher called `name`.
inline expected<std::unique_ptr<searcher>>
make_searcher(std::string_view name, const searcher_context& about,
              const std::map<std::string, std::string>& written = {}) {
  auto all = builtin_searchers();
  const auto* entry = all.find(name);
  auto with = options::parse(entry->known, written);
  if (!with)
    return with.error();
  return entry->make(*with, about);
}

/// Takes suggestions, `at_once` per ask, until the searcher ends or there are `most`.
inline std::vector<suggestion> collect(asking& from, std::size_t most, std::uint32_t at_once) {
  std::vector<suggestion> result;
  while (result.size() < most) {
    auto answer = from.next(at_once);
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      break;
    result.insert(result.end(), list->begin(), list->end());
  }
  return result;
}

/// The configurations as readable text: "{a: 1, b: x}".
inline std::vector<std::string> texts(const std::vector<suggestion>& of) {
  std::vector<std::string> result;
  for (const auto& x : of)
    result.push_back(to_text(value{*x.config}));
  return result;
}

} // namespace tune::support

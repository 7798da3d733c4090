/// Proposes the trials of a record again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/searcher.hpp"
#include "whatif/recorded_curves.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace tune::cli {

/// The configurations of a record, in its order, each once.
class recorded_order : public searcher {
public:
  explicit recorded_order(std::shared_ptr<const recorded_run> run) : run_{std::move(run)} {}

  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.ahead = 64;
    result.exhaustible = true;
    result.learns = false;
    result.prompt = true;
    return result;
  }

  void apply(const searcher_fact& what) override {
    const auto* told = std::get_if<suggested_fact>(&what.what);
    if (told == nullptr)
      return;
    if (const auto* some = std::get_if<std::vector<suggestion>>(&told->what))
      next_ += some->size();
  }

  [[nodiscard]] proposal propose(const ask& question) const override {
    const auto& all = run_->trials;
    if (next_ >= all.size())
      return exhausted{"all trials of the record are made"};
    const auto count = std::min<std::size_t>(question.count, all.size() - next_);
    std::vector<suggestion> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back({all[next_ + i].config, all[next_ + i].origin});
    return result;
  }

  void describe(fingerprint& into) const override { into.add(std::uint64_t{next_}); }

private:
  std::shared_ptr<const recorded_run> run_;
  std::size_t next_ = 0;
};

} // namespace tune::cli

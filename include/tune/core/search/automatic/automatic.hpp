/// The default searcher, for users who do not want to choose one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/gp.hpp"
#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/tpe/tpe.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tune::automatic {

/// Option that says whether to learn from trials before they have ended.
inline constexpr std::string_view partial_option = "partial";

/// A Gaussian process and TPE in turns over the same results.
///
/// TPE makes every fourth suggestion, from 400 results on every other, and from 2,000 on all: its
/// cost hardly grows with their number, and it saves runs in which the process is wrong.
class automatic_rule final : public learning::rule {
public:
  automatic_rule();

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] std::optional<double> regret_bound(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] bool learns_earlier() const override { return true; }
  [[nodiscard]] bool is_quick(const learning::archive& past) const override;

private:
  gp::gp_rule model_;
  tpe::tpe_rule densities_;
};

/// "auto".
[[nodiscard]] searcher_catalogue::entry make_entry();

/// Whether the searcher finds `samples` configurations to learn from in this space: there are no
/// grids, something varies, and a finite space has at least that many configurations.
///
/// @param samples 0: no limit, which no finite space can satisfy.
[[nodiscard]] bool suits(const std::shared_ptr<const search_space>& space, std::uint64_t samples);

} // namespace tune::automatic

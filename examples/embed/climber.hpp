/// A user-defined searcher: one class and one entry of a catalogue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/search/searcher.hpp>

namespace embed {

/// Draws each parameter anew, or keeps the value of the best trial so far.
class climber : public tune::searcher {
public:
  climber(tune::searcher_context about, double keep) : about_{std::move(about)}, keep_{keep} {}

  [[nodiscard]] tune::searcher_traits traits() const override { return {}; }
  void apply(const tune::searcher_fact& what) override;
  [[nodiscard]] tune::proposal propose(const tune::ask& question) const override;
  void describe(tune::fingerprint& into) const override;

private:
  tune::searcher_context about_;
  double keep_;
  std::uint64_t made_ = 0;
  tune::config_ptr best_;
  double score_ = 0;
};

/// The entry by which the INI file and `list searchers` know it.
[[nodiscard]] tune::searcher_catalogue::entry climber_entry();

} // namespace embed

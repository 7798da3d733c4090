/// Proposes nothing: for runs whose trials are added by clients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"

namespace tune::no_search {

/// Proposes the points to evaluate, each once whatever `samples` is, with their open parameters
/// drawn at random; after them nothing, without ever being exhausted.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for points outside of the space.
  [[nodiscard]] static expected<generator> make(const searcher_context& about);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override;

private:
  std::shared_ptr<const search_space> space_;
  std::uint64_t seed_ = 0;
  initial_points points_;
  std::uint64_t suggested_ = 0;

  [[nodiscard]] object filled(std::uint64_t point) const;
};

/// Whether an experiment with such a searcher waits for trials from clients until it is stopped:
/// true of a searcher that never proposes anything but points.
[[nodiscard]] inline bool is_idle(const searcher_traits& x) {
  return x.ahead == 0;
}

/// "none".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::no_search

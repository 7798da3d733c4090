/// A searcher in another process, which speaks JSON lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/external/chronicle.hpp"
#include "tune/core/search/external/talk.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace tune::external {

struct settings {
  partner_terms start;
  /// Number of faults between two good answers that are forgiven.
  std::uint32_t max_restarts = 3;
  /// Whether the process is told of every report.
  bool reports = false;
  /// The user's own options, passed on.
  object options;
};

/// Asks a process for every configuration except the points.
///
/// The process is told nothing before it is first asked; then everything that it does not know yet,
/// and the question. Without support for processes it proposes nothing.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for points that are not in the space, and for grids; those of
  ///         `searcher_context::partners`.
  [[nodiscard]] static expected<std::unique_ptr<searcher>> make(const settings& how,
                                                                const searcher_context& about);

  /// Tells the process the remaining episodes, and ends it.
  ~generator() override;
  generator(generator&&) = delete;
  generator& operator=(generator&&) = delete;

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override { past_.apply(what); }
  /// Waits for the process. @throws std::runtime_error if it gives no good answer.
  [[nodiscard]] proposal propose(const ask& question) const override;
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override;
  void describe(fingerprint& into) const override { past_.describe(into); }

private:
  /// The part that outlives the searcher while a question is open.
  struct session {
    std::unique_ptr<partner> who;
    talk words;
  };

  std::shared_ptr<const search_space> space_;
  std::uint64_t seed_ = 0;
  initial_points points_;
  chronicle past_;
  std::shared_ptr<session> session_;

  generator(const settings& how, const searcher_context& about, initial_points points,
            std::unique_ptr<partner> who);
  [[nodiscard]] object filled(std::uint64_t point) const;
  [[nodiscard]] proposal next_points(const ask& question) const;
  [[nodiscard]] bool has_points() const { return past_.suggested() < points_.size(); }
  [[nodiscard]] static proposal answer_of(session& with, std::uint64_t id, past before);
};

[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::external

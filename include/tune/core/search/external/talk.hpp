/// The conversation with the process of an external searcher, as a state machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/external/chronicle.hpp"
#include "tune/core/search/external/partner.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune::external {

/// What a conversation is about.
struct talk_terms {
  std::shared_ptr<const search_space> space;
  std::vector<searched_metric> metrics;
  /// See `begin_message`.
  object begin;
  /// So many faults are forgiven between two good answers.
  std::uint32_t max_restarts = 3;
};

/// What is to be done next.
namespace next {
/// Start a process, in the place of the one before.
struct start {};
/// Tell it this.
struct tell {
  std::vector<object> what;
};
/// Wait for what it says.
struct listen {};
/// The question is answered.
struct settled {
  proposal what;
};
/// It will not be.
struct failed {
  std::string why;
};
} // namespace next

using next_step = std::variant<next::start, next::tell, next::listen, next::settled, next::failed>;

/// Says what to do until a question is answered. Between two questions the process stays.
///
///                 start            greeting            all told
///     absent ---------> greeting ----------> telling ---------> asked
///       ^                  |                    ^                 |
///       |   any fault      |                    +---- answer -----+
///       +------------------+----------------------- any fault ----+
///
/// A process that begins anew is told all from the beginning. A fault is the process's end, a line
/// that is none of the protocol, silence, or a configuration that is none of the space, after which
/// it may stay. Beyond `max_restarts` of them without a good answer in between, the question fails.
class talk {
public:
  explicit talk(talk_terms about) : about_{std::move(about)} {}

  /// Opens a question. @param before All that happened until it was asked.
  void ask(std::uint64_t id, past before);
  [[nodiscard]] next_step step();
  void hear(const heard& what);

  /// What it has not been told of `all`, in portions that fit into memory; then the last message.
  [[nodiscard]] std::vector<object> last_words(const past& all) const;

  /// Faults since the last good answer.
  [[nodiscard]] std::uint32_t faults() const { return faults_; }

private:
  enum class phase : std::uint8_t { absent, begun, greeting, telling, again, asked };

  talk_terms about_;
  phase phase_ = phase::absent;
  std::uint64_t id_ = 0;
  past before_;
  /// Episodes that the present process knows.
  std::size_t told_ = 0;
  std::uint32_t faults_ = 0;
  /// Why its last configuration was refused.
  std::string refused_;
  std::optional<proposal> answer_;
  std::optional<std::string> failure_;

  void take(const line_heard& what);
  void take(const partner_lost& what);
  void take_answer(const object& said);
  void count_fault(const std::string& why);
  [[nodiscard]] next::tell portion();
};

/// Has the question answered. @returns the answer. @errors `ec::process` where it fails.
[[nodiscard]] expected<proposal> consult(talk& with, partner& who, std::uint64_t id, past before);

} // namespace tune::external

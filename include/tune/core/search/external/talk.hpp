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

/// Parameters of a conversation.
struct talk_terms {
  std::shared_ptr<const search_space> space;
  std::vector<searched_metric> metrics;
  /// See `begin_message`.
  object begin;
  /// Number of faults that are forgiven between two good answers.
  std::uint32_t max_restarts = 3;
};

/// The possible next steps.
namespace next {
/// Start a process in place of the previous one.
struct start {};
/// Send these messages to the process.
struct tell {
  std::vector<object> what;
};
/// Wait for the next line of the process.
struct listen {};
/// Tell people of a fault that is forgiven.
struct warn {
  std::string text;
};
/// The question is answered.
struct settled {
  proposal what;
};
/// The question cannot be answered.
struct failed {
  std::string why;
};
} // namespace next

using next_step
    = std::variant<next::start, next::tell, next::listen, next::warn, next::settled, next::failed>;

/// Decides the next step until a question is answered. The process stays between two questions.
///
///                 start            greeting            all told
///     absent ---------> greeting ----------> telling ---------> asked
///       ^                  |                    ^                 |
///       |   any fault      |                    +---- answer -----+
///       +------------------+----------------------- any fault ----+
///
/// A process that begins anew is told everything from the beginning. A fault is the end of the
/// process, an invalid line, silence, or a configuration that is not in the space; after the last
/// of these it may stay. After more than `max_restarts` of them without a good answer in between,
/// the question fails. People are warned of the first process that is begun anew, of the 10th, the
/// 100th and so on, and of the first configuration that is not in the space.
class talk {
public:
  explicit talk(talk_terms about) : about_{std::move(about)} {}

  /// Opens a question. @param before Everything that happened until it was asked.
  void ask(std::uint64_t id, past before);
  [[nodiscard]] next_step step();
  void hear(const heard& what);

  /// The part of `all` that the process has not been told, in portions that fit into memory; then
  /// the last message.
  [[nodiscard]] std::vector<object> last_words(const past& all) const;

  /// Faults since the last good answer.
  [[nodiscard]] std::uint32_t faults() const { return faults_; }

private:
  enum class phase : std::uint8_t { absent, begun, greeting, telling, again, asked };

  talk_terms about_;
  phase phase_ = phase::absent;
  std::uint64_t id_ = 0;
  past before_;
  /// Number of episodes that the present process knows.
  std::size_t told_ = 0;
  std::uint32_t faults_ = 0;
  /// Number of processes that were begun anew after a fault.
  std::uint64_t restarts_ = 0;
  bool has_told_refusal_ = false;
  std::optional<std::string> warning_;
  /// The reason why its last configuration was refused.
  std::string refused_;
  std::optional<proposal> answer_;
  std::optional<std::string> failure_;

  void take(const line_heard& what);
  void take(const partner_lost& what);
  void take_answer(const object& said);
  void count_fault(const std::string& why);
  void warn_of_restart(const std::string& why);
  void warn_of_refusal();
  [[nodiscard]] next::tell portion();
};

/// Obtains the answer to a question. @errors `ec::process` if the question fails.
[[nodiscard]] expected<proposal> consult(talk& with, partner& who, std::uint64_t id, past before);

} // namespace tune::external

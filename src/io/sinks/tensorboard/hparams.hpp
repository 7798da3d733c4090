/// What TensorBoard's HParams view shows: parameters, metrics, and the trials as sessions. Private
/// to the TensorBoard sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/tensorboard/wire_format.hpp"

#include "tune/core/seam/trial_sink.hpp"
#include "tune/core/space/domain.hpp"

#include <string>
#include <vector>

namespace tune {

/// The columns of parameters. HParams knows numbers, texts and truth values, one kind a column:
/// lists, and lists of choices of several kinds, become texts.
class hparam_columns {
public:
  hparam_columns() = default;
  explicit hparam_columns(const experiment_facts& of);

  static constexpr const char* experiment_tag = "_hparams_/experiment";
  static constexpr const char* start_tag = "_hparams_/session_start_info";
  static constexpr const char* end_tag = "_hparams_/session_end_info";

  /// The experiment with all columns. @param metrics Names of the metrics.
  [[nodiscard]] wire_format::message experiment(const experiment_facts& of,
                                                const std::vector<std::string>& metrics) const;
  /// A trial begins. @param wall Unix time in seconds.
  [[nodiscard]] wire_format::message start(trial_id trial, const object& config, double wall) const;
  /// A trial is over.
  [[nodiscard]] static wire_format::message end(trial_status status, double wall);

private:
  enum class kind : std::uint8_t { text = 1, truth = 2, number = 3 };
  struct column {
    std::string name;
    domain what;
    kind is = kind::text;
  };
  std::vector<column> columns_;

  [[nodiscard]] static kind kind_of(const domain& what);
  [[nodiscard]] static kind kind_of(const std::vector<value>& list);
  [[nodiscard]] static wire_format::message cell(const value& x, kind as);
  [[nodiscard]] static wire_format::message description(const column& x);
};

} // namespace tune

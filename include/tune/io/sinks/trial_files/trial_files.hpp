/// The sink that keeps readable files for each trial: params.json, result.jsonl, progress.csv and
/// error.txt in `trials/<trial>/`. docs/trial_files.md describes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/result_sink.hpp"

#include <filesystem>
#include <memory>

namespace tune {

/// Derived from the database and nothing else: what is missing or doubled after a crash is found
/// and written again. Keeps no file open between calls.
class trial_files final : public result_sink {
public:
  /// @param directory of an experiment. @errors as `store_reader::open`; `ec::storage`.
  [[nodiscard]] static expected<std::unique_ptr<trial_files>>
  open(const std::filesystem::path& directory);

  ~trial_files() override;

  [[nodiscard]] std::string_view name() const override { return "trial_files"; }
  [[nodiscard]] sequence cursor() const override;
  [[nodiscard]] expected<void> catch_up(sequence committed) override;
  [[nodiscard]] expected<void> close() override;

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit trial_files(std::unique_ptr<impl> parts);
};

} // namespace tune

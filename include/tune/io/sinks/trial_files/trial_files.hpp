/// The sink that keeps readable files for each trial: params.json, result.jsonl, progress.csv and
/// error.txt in `trials/<trial>/`. docs/trial_files.md describes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/result_sink.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// Derived from the database and nothing else: what is missing or doubled after a crash is found
/// and written again. Keeps no file open between calls, and waits for none: what a trial puts in
/// the place of its own files is replaced, and where that cannot be the others' are written on.
class trial_files final : public result_sink {
public:
  /// Hears of what was in the way, in the thread that calls. At most 100 times.
  using warn_function = std::function<void(const std::string&)>;

  /// @param directory of an experiment. @errors as `store_reader::open`; `ec::storage`.
  [[nodiscard]] static expected<std::unique_ptr<trial_files>>
  open(const std::filesystem::path& directory, warn_function warn = {});

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

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

/// The files are derived from the database alone: missing or doubled content after a crash is
/// detected and rewritten. Keeps no file open between calls and never blocks on one. Whatever a
/// trial puts in the place of its own files is replaced; if that is impossible, the files of other
/// trials are still written.
class trial_files final : public result_sink {
public:
  /// Receives warnings about obstacles, in the calling thread, at most 100 times.
  using warn_function = std::function<void(const std::string&)>;

  /// @param directory The experiment's directory. @errors as `store_reader::open`; `ec::storage`.
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

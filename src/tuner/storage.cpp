// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/storage.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Whether what the directory holds was recorded under a configuration that may go on as `wanted`.
expected<void> may_go_on(const fs::path& directory, const spec& wanted) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  auto before = spec_from_json(row->spec);
  if (!before)
    return before.error();
  return may_resume(changes(*before, wanted));
}

} // namespace

expected<opened_storage> open_storage(const fs::path& directory, const spec& wanted, bool resume) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  auto holds = *state == directory_state::experiment;
  if (holds && !resume) {
    return error{ec::refused, directory.string()
                                  + " holds an experiment already: go on with it by --resume, or"
                                    " choose another name by --experiment.name NAME"};
  }
  if (holds) {
    if (auto fits = may_go_on(directory, wanted); !fits)
      return fits.error();
  }
  auto opened = holds ? experiment_store::open(directory) : experiment_store::create(directory);
  if (!opened)
    return opened.error();
  return opened_storage{std::make_shared<experiment_store>(std::move(*opened)), holds};
}

} // namespace tune

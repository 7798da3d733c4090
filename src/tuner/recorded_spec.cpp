// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/recorded_spec.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

namespace tune {

expected<spec> recorded_spec(const std::filesystem::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto row = reader->experiment();
  if (!row)
    return row.error();
  return spec_from_json(row->spec);
}

} // namespace tune

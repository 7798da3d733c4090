// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/builtin.hpp"

#include "sinks/hook/hook_sink.hpp"
#include "sinks/line_files.hpp"
#include "sinks/mlflow/mlflow_sink.hpp"
#include "sinks/otlp/otlp_sink.hpp"
#include "sinks/s3/s3_sink.hpp"
#include "sinks/tensorboard/tensorboard_sink.hpp"

#include <algorithm>
#include <vector>

namespace tune {

namespace {

const std::vector<builtin_sink>& all_builtin() {
  static const std::vector<builtin_sink> all{tensorboard_entry(), mlflow_entry(), otlp_entry(),
                                             hook_entry(),        csv_entry(),    jsonl_entry(),
                                             s3_entry()};
  return all;
}

} // namespace

sink_catalogue builtin_sinks() {
  sink_catalogue result;
  for (const auto& x : all_builtin())
    result.add(x.entry);
  return result;
}

expected<void> check_options(const sink_catalogue::entry& of, const options& with) {
  const auto& all = all_builtin();
  const auto found = std::find_if(all.begin(), all.end(), [&](const builtin_sink& x) {
    // A program may put one of its own in the place of another.
    return x.entry.name == of.name && x.entry.summary == of.summary;
  });
  return found == all.end() ? expected<void>{} : found->check(with);
}

} // namespace tune

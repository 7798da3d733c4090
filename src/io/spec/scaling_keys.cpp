// SPDX-License-Identifier: BSD-3-Clause
#include "scaling_keys.hpp"

#include "key_makers.hpp"
#include "tune/io/scaling/scaling_options.hpp"
#include "tune/io/spec/convert.hpp"

#include <utility>

namespace tune {

namespace {

using namespace key_makers;

constexpr double most_workers = 10'000;

/// A time from 1s to 24h. @param may_be_zero Or 0.
template <class Field>
key_spec span(const head& of, bool may_be_zero, Field field) {
  auto result = duration(of, field);
  const std::string range = may_be_zero ? "0 or 1s to 24h" : "1s to 24h";
  result.form = "duration, " + range;
  result.read = [plain = result.read, field, range, may_be_zero,
                 name = std::string{of.name}](spec& x, const std::string& what) -> expected<void> {
    if (auto read = plain(x, what); !read)
      return read;
    const auto given = field(x);
    const auto fits = given >= std::chrono::seconds{1} && given <= std::chrono::hours{24};
    if (!fits && !(may_be_zero && given.count() == 0))
      return refusal(name, what, "must be " + range);
    return {};
  };
  return result;
}

key_spec worker_key() {
  auto result = start({"cluster", "scale_worker",
                       "what a worker that scale_command brings offers; empty: what the newest "
                       "one offers",
                       true},
                      option_kind::text,
                      "JSON object such as {\"cpu\": 4, \"gpu\": 1, \"memory\": \"16GiB\"}");
  result.write = [](const spec& x) {
    if (x.cluster.scaling.worker.empty())
      return std::string{};
    const auto list = bundles_text(x.cluster.scaling.worker);
    return list.substr(1, list.size() - 2);
  };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto read = scale_worker_from(what);
    if (!read)
      return refusal("scale_worker", what, read.error().detail);
    x.cluster.scaling.worker = std::move(*read);
    return {};
  };
  return result;
}

} // namespace

void add_scaling_keys(std::vector<key_spec>& to) {
  to.push_back(text({"cluster", "scale_command",
                     "command that gets and gives back workers, run by /bin/sh in the directory of "
                     "the INI file; empty: none",
                     true},
                    "command", TUNE_FIELD(cluster.scaling.command)));
  to.push_back(integer({"cluster", "scale_min", "workers that there should be at least", true},
                       {0, most_workers}, TUNE_FIELD(cluster.scaling.min)));
  to.push_back(integer({"cluster", "scale_max",
                        "workers beyond which none is asked for, those that somebody else started "
                        "included",
                        true},
                       {1, most_workers}, TUNE_FIELD(cluster.scaling.max)));
  to.push_back(worker_key());
  to.push_back(span({"cluster", "scale_cooldown",
                     "least time from one call to the next that asks for workers", true},
                    false, TUNE_FIELD(cluster.scaling.cooldown)));
  to.push_back(span({"cluster", "scale_down_cooldown",
                     "least time from one call to the next that gives workers back", true},
                    false, TUNE_FIELD(cluster.scaling.down_cooldown)));
  to.push_back(span({"cluster", "scale_idle",
                     "a worker where nothing ran for so long is given back; 0 = never, they leave "
                     "by themselves (worker --idle-exit)",
                     true},
                    true, TUNE_FIELD(cluster.scaling.idle)));
  to.push_back(span({"cluster", "scale_patience",
                     "how long a worker that was asked for may take to join, and one that was "
                     "given back to go",
                     true},
                    false, TUNE_FIELD(cluster.scaling.patience)));
  to.push_back(
      span({"cluster", "scale_timeout", "how long the command may take before it is killed", true},
           false, TUNE_FIELD(cluster.scaling.timeout)));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "report/redaction.hpp"

#include "tune/core/secret_name.hpp"

#include <vector>

namespace tune::cli {

namespace {

void redact_values(std::vector<named_text>& all) {
  for (auto& x : all)
    x.text = names_a_secret(x.name) ? std::string{redacted_text}
                                    : without_secrets(x.text, redacted_text);
}

} // namespace

spec redacted(spec what) {
  for (auto& x : what.trainable.env)
    x.text = redacted_text;
  what.trainable.command = without_secrets(what.trainable.command, redacted_text);
  redact_values(what.space);
  redact_values(what.search.options);
  redact_values(what.scheduler.options);
  redact_values(what.stop);
  redact_values(what.sinks.lines);
  return what;
}

} // namespace tune::cli

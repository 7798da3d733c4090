// SPDX-License-Identifier: BSD-3-Clause
#include "command/launch_request.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"

#include <array>
#include <sstream>

namespace tune::cli {

expected<request> launch_from(const read_result& x, const command_doc& where) {
  launch_request result;
  result.keeps = x.has("keep");
  if (!x.positionals.empty())
    result.run.file = x.positionals[0];
  else if (!result.keeps)
    return wrong("launch needs FILE, or --keep", &where);
  for (const auto* name : {"storage", "no-local"}) {
    if (x.has(name) && !result.keeps)
      return wrong("--" + std::string{name} + " goes with --keep", &where);
  }
  for (const auto* name : {"strict", "partial"}) {
    if (x.has(name) && result.keeps)
      return wrong("--" + std::string{name} + " does not go with --keep", &where);
  }
  if (result.run.file.empty() && !x.overrides.empty())
    return wrong("--section.key goes with FILE", &where);
  result.storage = x.text("storage").value_or("");
  result.local = !x.has("no-local");
  result.run.strict = x.has("strict");
  result.run.overrides = x.overrides;
  result.run.command = "launch";
  result.run.own_words = own_words(x, where, {"strict"});
  result.hosts = x.text("hosts").value_or("");
  result.program = x.text("program").value_or("");
  result.work = x.text("work").value_or("");
  result.is_direct = x.has("direct");
  result.is_partial = x.has("partial");
  if (x.text("hosts") == "")
    return wrong("--hosts needs machines, as in --hosts a,b:2222,user@c", &where);
  std::istringstream words{x.text("ssh").value_or("ssh")};
  for (std::string word; words >> word;)
    result.ssh.push_back(word);
  if (result.ssh.empty())
    return wrong("--ssh needs a program, as in --ssh 'ssh -F my_config'", &where);
  // Checked here, where a mistake is told at once and not by each machine.
  offered_request offers;
  std::chrono::nanoseconds grace{};
  auto time = [](const std::string& text) { return time_from(text); };
  for (const auto& done :
       {read_offers(x, offers, where), read_option(x, "leave-grace", grace, time, where)}) {
    if (!done)
      return done.error();
  }
  for (const auto* name : {"cpus", "gpus", "memory", "leave-grace"}) {
    if (auto text = x.text(name)) {
      result.worker_options.push_back(std::string{"--"} + name);
      result.worker_options.push_back(*text);
    }
  }
  for (const auto& each : offers.labels)
    result.worker_options.insert(result.worker_options.end(), {"--label", each});
  for (const auto& each : offers.taints)
    result.worker_options.insert(result.worker_options.end(), {"--taint", each});
  return request{std::move(result)};
}

expected<request> down_from(const read_result& x, const command_doc&) {
  down_request result;
  if (!x.positionals.empty())
    result.storage = x.positionals[0];
  result.is_now = x.has("now");
  return request{std::move(result)};
}

} // namespace tune::cli

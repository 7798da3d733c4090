// SPDX-License-Identifier: BSD-3-Clause
#include "head/submitted_spec.hpp"

#include "run/nothing_to_run.hpp"

#include "tune/io/spec/print.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/tuner/preparation.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// The faults with their keys, the only places that a client can look at.
std::string text_of(const config_faults& faults) {
  constexpr std::size_t shown = 3;
  std::string result;
  for (std::size_t i = 0; i < faults.list().size() && i < shown; ++i) {
    const auto& x = faults.list()[i];
    result += (i == 0 ? "" : "; ") + (x.section.empty() ? "" : "[" + x.section + "] ") + x.message;
  }
  if (faults.total() > shown)
    result += "; and " + std::to_string(faults.total() - shown) + " more";
  return result;
}

/// A hint how missing files of a searcher can be sent along; empty if no fault is about one.
std::string help_with(const config_faults& faults) {
  const auto& all = faults.list();
  auto lacks_file = [](const config_fault& x) {
    return x.section == "search" && x.message.ends_with("does not exist");
  };
  return std::any_of(all.begin(), all.end(), lacks_file)
             ? "; files that it needs come along where [trainable] files names them"
             : "";
}

} // namespace

expected<loaded_spec> load_again(spec what, const job_supervisor_settings& here) {
  auto wanted = request_for(*here.all);
  // The client has looked at its plugins; on the head only the trials' processes load them.
  wanted.probes_plugins = false;
  what.experiment.storage = here.storage.string();
  auto text = print_spec(what, wanted);
  auto code = std::move(what.code);
  auto found_points = std::move(what.search.found_points);
  auto found_earlier = std::move(what.search.found_earlier);
  auto result
      = load_spec_text(text, fs::path{what.ini_dir} / (what.experiment.name + ".ini"), wanted);
  if (!result)
    return error{ec::bad_option,
                 "the head cannot run it: " + text_of(result.faults) + help_with(result.faults)};
  // These have no keys, and so are not in the text.
  result.loaded->what.code = std::move(code);
  result.loaded->what.search.found_points = std::move(found_points);
  result.loaded->what.search.found_earlier = std::move(found_earlier);
  return std::move(*result.loaded);
}

std::string not_submitted(const missing_files& x) {
  std::string names;
  for (const auto& name : x.names)
    names += (names.empty() ? "" : ", ") + name;
  return "its trials need what it began with, and what is not beside the INI file any more: "
         + names + "; put that back and submit it again";
}

expected<std::vector<on::add_asked>> additions_in(const submission_message& words,
                                                  const loaded_spec& loaded,
                                                  const fs::path& directory, bool is_again) {
  auto result = additions_of(words.add, *loaded.space, words.add_key);
  if (result && !result->empty() && !is_again) {
    if (auto has_time = has_time_for_more(directory, loaded.what); !has_time)
      return has_time.error();
  }
  return result;
}

} // namespace tune::cli

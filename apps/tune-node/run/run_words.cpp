// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_words.hpp"

#include "tune/core/shell_word.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace tune::cli {

namespace {

constexpr const char* name_option = "experiment.name";

/// Adds a key as an option; some keys have options of their own.
void add(std::vector<std::string>& to, const std::string& key, const std::string& text) {
  if (key == name_option)
    return;
  if (key == "cluster.insecure_plaintext" && text == "true")
    return to.push_back("--insecure-plaintext");
  auto option = key == "cluster.certs" ? "certs" : key == "cluster.listen" ? "listen" : key;
  // A separate word that begins with a dash would not be taken for a value.
  if (text.starts_with('-'))
    return to.push_back("--" + option + "=" + text);
  to.insert(to.end(), {"--" + option, text});
}

} // namespace

std::vector<std::string> words_given(const run_request& what, const loaded_spec& loaded,
                                     const std::map<std::string, std::string>& environment) {
  auto result = what.own_words;
  for (const auto& [key, origin] : loaded.origins) {
    auto found = environment.find(origin.where);
    if (origin.from == config_origin::source::environment && found != environment.end())
      add(result, key, found->second);
  }
  for (const auto& x : what.overrides)
    add(result, x.name, x.text);
  auto certs = environment.find("TUNE_CERTS");
  if (certs != environment.end() && !certs->second.empty() && loaded.what.cluster.certs.empty())
    add(result, "cluster.certs", certs->second);
  if (what.strict)
    result.push_back("--strict");
  return result;
}

std::string reaching_words(const std::string& certs, const std::string& cluster, bool plain,
                           const std::string& name_option) {
  std::string result;
  if (!certs.empty() && !plain)
    result += " --certs " + shell_word(certs);
  if (cluster != "default")
    result += " " + name_option + " " + shell_word(cluster);
  return result + (plain ? " --insecure-plaintext" : "");
}

peer_address reachable(peer_address where) {
  constexpr std::array<std::string_view, 3> everywhere{"0.0.0.0", "::", "[::]"};
  std::array<char, 256> name{};
  if (std::find(everywhere.begin(), everywhere.end(), where.host) != everywhere.end()
      && ::gethostname(name.data(), name.size() - 1) == 0)
    where.host = name.data();
  return where;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/unmet_requests.hpp"

#include <utility>

namespace tune {

namespace {

/// What a quota never allows comes first: no worker that may come changes it.
std::map<std::uint64_t, std::string> texts_of(const std::vector<ledger::stranded>& all) {
  struct reasons {
    std::string lasting;
    std::string passing;
  };
  std::map<std::uint64_t, reasons> found;
  for (const auto& x : all) {
    auto& of = found[x.owner];
    auto& text = x.why.starts_with("the quota of") ? of.lasting : of.passing;
    text += (text.empty() ? "" : "; ") + x.why;
  }
  std::map<std::uint64_t, std::string> result;
  for (const auto& [owner, x] : found) {
    auto& text = result[owner];
    if (!x.lasting.empty())
      text = "trials wait, as " + x.lasting;
    if (!x.passing.empty())
      text += (text.empty() ? "trials wait, as " : "; others wait, as ") + x.passing
              + "; they begin when a worker is there that can run them";
  }
  return result;
}

} // namespace

std::vector<unmet_requests::notice>
unmet_requests::update(const std::vector<ledger::stranded>& now) {
  std::vector<notice> result;
  auto before = std::exchange(told_, texts_of(now));
  for (const auto& [owner, text] : told_) {
    const auto known = before.extract(owner);
    if (known.empty() || known.mapped() != text)
      result.push_back({owner, text});
  }
  for (const auto& [owner, text] : before)
    result.push_back({owner, {}});
  return result;
}

} // namespace tune

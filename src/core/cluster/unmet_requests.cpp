// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/unmet_requests.hpp"

#include <utility>

namespace tune {

namespace {

std::map<std::uint64_t, std::string> texts_of(const std::vector<ledger::stranded>& all) {
  std::map<std::uint64_t, std::string> result;
  for (const auto& x : all) {
    auto& text = result[x.owner];
    text += (text.empty() ? "" : "; ") + x.why;
  }
  for (auto& [owner, text] : result)
    text = "trials wait, as " + text
           + (text.starts_with("the quota of") ? std::string{}
                                               : "; they begin when a worker is there that can run"
                                                 " them");
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

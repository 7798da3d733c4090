// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/submission_words.hpp"

#include <string_view>

namespace tune {

namespace {

/// "alice" of "CN=alice,O=tune-node"; the whole subject where it has no such part.
std::string name_in_subject(const std::string& subject) {
  constexpr std::string_view mark = "CN=";
  const auto at = subject.starts_with(mark) ? 0 : subject.find("," + std::string{mark});
  if (at == subject.npos)
    return subject;
  const auto begin = at + mark.size() + (at == 0 ? 0 : 1);
  return subject.substr(begin, subject.find(',', begin) - begin);
}

} // namespace

std::string user_of(const std::string& from, const std::string& identity) {
  return identity.empty() ? from : name_in_subject(identity);
}

std::string doing_of(const queue_claim& x) {
  return x.was_served ? "which ran" : "which was queued";
}

} // namespace tune

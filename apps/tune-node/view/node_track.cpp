// SPDX-License-Identifier: BSD-3-Clause
#include "view/node_track.hpp"

#include "tune/io/json.hpp"

namespace tune::cli {

namespace {

std::string member_text(const object& in, const char* name) {
  const auto* found = in.find(name);
  const auto* text = found == nullptr ? nullptr : found->as_string();
  return text == nullptr ? std::string{} : *text;
}

} // namespace

void node_track::read(const raw_event& x) {
  last_ = x.seq;
  const auto is_up = x.kind == "node_up";
  if (!is_up && x.kind != "node_down")
    return;
  auto body = object_from_json(x.body);
  if (!body)
    return;
  const auto node = member_text(*body, "node");
  const auto away = open_.find(node);
  if (is_up) {
    if (away == open_.end())
      return;
    absences_[away->second].to = x.at;
    open_.erase(away);
  } else if (away == open_.end() && absences_.size() < most) {
    open_[node] = absences_.size();
    absences_.push_back({node, x.at, std::nullopt, member_text(*body, "why")});
  }
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "view/node_track.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/event_codec.hpp"

#include <utility>

namespace tune::cli {

namespace {

std::string member_text(const object& in, const char* name) {
  const auto* found = in.find(name);
  const auto* text = found == nullptr ? nullptr : found->as_string();
  return text == nullptr ? std::string{} : *text;
}

} // namespace

void node_track::read_attempt(const raw_event& x) {
  auto body = event_from_json(x.kind, x.body);
  if (!body)
    return;
  if (auto* placed = std::get_if<on::placed>(&*body)) {
    placements_[placed->trial] = {placed->attempt, std::move(placed->what.bundles)};
  } else if (const auto* ended = std::get_if<on::ended>(&*body)) {
    const auto known = placements_.find(ended->trial);
    if (known != placements_.end() && known->second.attempt == ended->attempt)
      placements_.erase(known);
  }
}

void node_track::read(const raw_event& x) {
  last_ = x.seq;
  if (x.kind == "placed" || x.kind == "ended")
    return read_attempt(x);
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

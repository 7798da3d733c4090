// SPDX-License-Identifier: BSD-3-Clause
#include "connection_book.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tune::detail {

namespace {

/// Members of the group with the largest total weight; of equal groups, the one that comes first.
template <class Entry, class Group, class Weight>
std::vector<const Entry*> heaviest(const std::vector<const Entry*>& of, Group group_of,
                                   Weight weight_of) {
  std::map<std::string_view, std::size_t> weights;
  for (const auto* x : of)
    weights[group_of(*x)] += weight_of(*x);
  const Entry* first = nullptr;
  for (const auto* x : of) {
    if (first == nullptr || weights[group_of(*x)] > weights[group_of(*first)])
      first = x;
  }
  std::vector<const Entry*> result;
  for (const auto* x : of) {
    if (group_of(*x) == group_of(*first))
      result.push_back(x);
  }
  return result;
}

std::string_view source_of(const auto& x) {
  return x.second.source;
}

std::string_view certificate_of(const auto& x) {
  return x.second.certificate ? std::string_view{*x.second.certificate} : std::string_view{};
}

std::size_t one(const auto&) {
  return 1;
}

} // namespace

connection_book::number connection_book::come(std::string source) {
  all_.emplace(++last_, peer{std::move(source), std::nullopt, 0});
  strangers_.insert(last_);
  return last_;
}

void connection_book::know(number who, std::string certificate) {
  auto known = all_.find(who);
  if (known == all_.end() || known->second.certificate)
    return;
  known->second.certificate = std::move(certificate);
  strangers_.erase(who);
}

void connection_book::owe(number who, std::size_t unread) {
  auto known = all_.find(who);
  if (known == all_.end())
    return;
  unread_ += unread - known->second.unread;
  known->second.unread = unread;
}

void connection_book::leave(number who) {
  owe(who, 0);
  all_.erase(who);
  strangers_.erase(who);
}

bool connection_book::is_stranger(number who) const {
  return strangers_.contains(who);
}

std::size_t connection_book::unread_by(number who) const {
  auto known = all_.find(who);
  return known == all_.end() ? 0 : known->second.unread;
}

std::vector<const connection_book::entry*> connection_book::newest_members() const {
  std::vector<const entry*> result;
  for (auto x = all_.rbegin(); x != all_.rend(); ++x) {
    if (x->second.certificate)
      result.push_back(&*x);
  }
  return result;
}

std::optional<connection_book::number> connection_book::oldest_stranger() const {
  return strangers_.empty() ? std::nullopt : std::optional{*strangers_.begin()};
}

std::optional<connection_book::number> connection_book::least_wanted_stranger() const {
  if (strangers_.empty())
    return std::nullopt;
  std::vector<const entry*> oldest_first;
  for (auto who : strangers_)
    oldest_first.push_back(&*all_.find(who));
  return heaviest(oldest_first, source_of<entry>, one<entry>).front()->first;
}

std::optional<connection_book::number> connection_book::least_wanted_member() const {
  const auto all = newest_members();
  if (all.empty())
    return std::nullopt;
  const auto worst = heaviest(all, certificate_of<entry>, one<entry>);
  return heaviest(worst, source_of<entry>, one<entry>).front()->first;
}

std::optional<connection_book::number> connection_book::slowest_reader() const {
  auto unread_of = [](const entry& x) { return x.second.unread; };
  if (unread_ == 0)
    return std::nullopt;
  std::vector<const entry*> all;
  for (const auto& x : all_)
    all.push_back(&x);
  const auto worst = heaviest(all, certificate_of<entry>, unread_of);
  return (*std::max_element(
              worst.begin(), worst.end(),
              [&](const auto* a, const auto* b) { return unread_of(*a) < unread_of(*b); }))
      ->first;
}

} // namespace tune::detail

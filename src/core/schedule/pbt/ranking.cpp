// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/ranking.hpp"

namespace tune::pbt {

namespace {

/// Finaliser of SplitMix64: uniform, and the same on all machines.
std::uint64_t scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30u)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27u)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31u);
}

} // namespace

void ranking::recount(link x) {
  nodes_[x].size = 1 + size_of(nodes_[x].left) + size_of(nodes_[x].right);
}

std::pair<ranking::link, ranking::link> ranking::split(link x, const entry& border) {
  if (x == 0)
    return {0, 0};
  if (nodes_[x].what < border) {
    auto [low, high] = split(nodes_[x].right, border);
    nodes_[x].right = low;
    recount(x);
    return {x, high};
  }
  auto [low, high] = split(nodes_[x].left, border);
  nodes_[x].left = high;
  recount(x);
  return {low, x};
}

ranking::link ranking::merge(link left, link right) {
  if (left == 0 || right == 0)
    return left == 0 ? right : left;
  if (nodes_[left].priority > nodes_[right].priority) {
    nodes_[left].right = merge(nodes_[left].right, right);
    recount(left);
    return left;
  }
  nodes_[right].left = merge(left, nodes_[right].left);
  recount(right);
  return right;
}

void ranking::insert(const entry& what) {
  link made = 0;
  if (free_.empty()) {
    made = static_cast<link>(nodes_.size());
    nodes_.emplace_back();
  } else {
    made = free_.back();
    free_.pop_back();
  }
  nodes_[made] = {what, scattered(what.trial.number), 1, 0, 0};
  auto [low, high] = split(root_, what);
  root_ = merge(merge(low, made), high);
}

ranking::link ranking::without(link x, const entry& what) {
  if (x == 0)
    return 0;
  auto& here = nodes_[x];
  if (what < here.what) {
    here.left = without(here.left, what);
  } else if (here.what < what) {
    here.right = without(here.right, what);
  } else {
    free_.push_back(x);
    return merge(here.left, here.right);
  }
  recount(x);
  return x;
}

void ranking::erase(const entry& what) {
  root_ = without(root_, what);
}

std::size_t ranking::rank(const entry& what) const {
  std::size_t result = 0;
  for (auto x = root_; x != 0;) {
    if (nodes_[x].what < what) {
      result += 1 + size_of(nodes_[x].left);
      x = nodes_[x].right;
    } else {
      x = nodes_[x].left;
    }
  }
  return result;
}

ranking::entry ranking::at(std::size_t i) const {
  auto x = root_;
  for (;;) {
    auto before = size_of(nodes_[x].left);
    if (i == before)
      return nodes_[x].what;
    if (i < before) {
      x = nodes_[x].left;
    } else {
      i -= before + 1;
      x = nodes_[x].right;
    }
  }
}

} // namespace tune::pbt

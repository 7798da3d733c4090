// SPDX-License-Identifier: BSD-3-Clause
#include "downloads.hpp"

#include <algorithm>
#include <utility>

namespace tune {

downloads::downloads(const content_store& to, download_limits limits, std::uint64_t& numbers)
    : store_{to}, limits_{limits}, numbers_{numbers} {}

void downloads::want(const std::string& hash, std::uint64_t size, std::string name) {
  // The stored content may have been damaged since it came; then it is fetched anew.
  if (store_.has(hash, size) && store_.verify(hash)) {
    ended_.push_back({hash, {}});
    return;
  }
  if (queued_.contains(hash) || active(hash) != active_.end())
    return;
  queued_.emplace(hash, queue_.insert(queue_.end(), {hash, size, std::move(name)}));
}

void downloads::drop(const std::string& hash) {
  if (auto queued = queued_.find(hash); queued != queued_.end()) {
    queue_.erase(queued->second);
    queued_.erase(queued);
  } else if (auto found = active(hash); found != active_.end()) {
    forget_questions(found);
    active_.erase(found);
  }
}

downloads::place downloads::active(const std::string& hash) {
  return std::find_if(active_.begin(), active_.end(),
                      [&](const transfer& x) { return x.what.hash == hash; });
}

void downloads::begin_next() {
  queued_.erase(queue_.front().hash);
  active_.push_back({std::move(queue_.front()), {}, 0, 0, 0});
  queue_.pop_front();
  begin(std::prev(active_.end()));
}

/// The content that the next question is about; begins a new one if needed.
downloads::place downloads::next_to_ask() {
  auto open = [this] {
    return std::find_if(active_.begin(), active_.end(),
                        [](const transfer& x) { return x.asked < x.what.size; });
  };
  // Empty contents end as soon as they begin.
  while (open() == active_.end() && !queue_.empty())
    begin_next();
  return open();
}

std::vector<chunk_request> downloads::due() {
  std::vector<chunk_request> result;
  while (questions_.size() < limits_.credit) {
    const auto next = next_to_ask();
    if (next == active_.end())
      break;
    const auto size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(limits_.chunk_bytes, next->what.size - next->asked));
    result.push_back({++numbers_, next->what.hash, next->asked, size});
    questions_.emplace(numbers_, question{next, next->asked, size});
    next->asked += size;
  }
  return result;
}

/// Begins to fetch a content, from its beginning.
void downloads::begin(place x) {
  x->to.reset();
  x->asked = 0;
  x->idle = 0;
  ++x->tries;
  auto writer = store_.begin(x->what.hash, x->what.size);
  if (!writer)
    return end(x, writer.error());
  x->to.emplace(std::move(*writer));
  if (x->what.size == 0)
    finish(x);
}

/// Begins a content again, unless that was tried too often.
void downloads::again(place x, const std::string& why) {
  forget_questions(x);
  if (x->tries < limits_.tries)
    begin(x);
  else
    end(x, error{ec::timeout,
                 x->what.name + ": " + why + ", " + std::to_string(limits_.tries) + " times"});
}

void downloads::finish(place x) {
  auto done = x->to->commit();
  if (!done && done.error().code == ec::protocol)
    done = error{ec::protocol, x->what.name + " changed while it was shipped"};
  end(x, std::move(done));
}

void downloads::end(place x, expected<void> how) {
  forget_questions(x);
  ended_.push_back({std::move(x->what.hash), std::move(how)});
  active_.erase(x);
}

bool downloads::has_questions(const transfer& x) const {
  return std::any_of(questions_.begin(), questions_.end(),
                     [&](const auto& entry) { return &*entry.second.of == &x; });
}

void downloads::forget_questions(place x) {
  std::erase_if(questions_, [x](const auto& entry) { return entry.second.of == x; });
}

std::optional<downloads::question> downloads::answered(std::uint64_t number,
                                                       const std::string& hash) {
  auto found = questions_.find(number);
  if (found == questions_.end() || found->second.of->what.hash != hash)
    return std::nullopt;
  auto result = found->second;
  questions_.erase(found);
  return result;
}

bool downloads::take(const chunk& answer) {
  auto asked = answered(answer.number, answer.hash);
  if (!asked)
    return false;
  auto of = asked->of;
  of->idle = 0;
  if (answer.offset != asked->offset || answer.bytes.size() != asked->size
      || answer.last != (asked->offset + asked->size == of->what.size)) {
    again(of, "the head answered with other bytes than it was asked for");
  } else if (auto taken = of->to->append(answer.offset, answer.bytes); !taken) {
    // Out of order: an earlier piece was lost.
    if (taken.error().code == ec::protocol)
      again(of, taken.error().detail);
    else
      end(of, std::move(taken));
  } else if (of->to->written() == of->what.size) {
    finish(of);
  }
  return true;
}

bool downloads::take(const chunk_failed& answer) {
  auto asked = answered(answer.number, answer.hash);
  if (asked)
    end(asked->of, error{ec::unreadable, answer.why});
  return asked.has_value();
}

void downloads::tick() {
  for (auto i = active_.begin(); i != active_.end();) {
    const auto current = i++;
    // A content that waits for credit does not wait for the package server.
    current->idle = has_questions(*current) ? current->idle + 1 : 0;
    if (current->idle > limits_.patience)
      again(current, "nothing of it came any more");
  }
}

std::vector<download_end> downloads::ended() {
  return std::exchange(ended_, {});
}

} // namespace tune

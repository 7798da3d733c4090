// SPDX-License-Identifier: BSD-3-Clause
#include "serve/shared_answers.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

void add_part(const std::string& part, std::string& to) {
  to.append(std::to_string(part.size())).append(":").append(part);
}

bool is_enough(const shared_answer& x, const log_position& at_least) {
  return x.as_of.record == at_least.record && x.as_of.last >= at_least.last;
}

} // namespace

std::shared_ptr<shared_answers::entry> shared_answers::entry_of(const std::string& question) {
  std::lock_guard guard{mutex_};
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& x) { return x.first == question; });
  if (found != entries_.end())
    entries_.splice(entries_.begin(), entries_, found);
  else
    entries_.emplace_front(question, std::make_shared<entry>());
  // Whoever still uses one keeps it alive.
  if (entries_.size() > most)
    entries_.pop_back();
  return entries_.front().second;
}

shared_answers::made shared_answers::answer(const std::string& question,
                                            const log_position& at_least,
                                            const std::function<made()>& make) {
  const auto own = entry_of(question);
  std::lock_guard works{own->works};
  if (own->kept && is_enough(*own->kept, at_least))
    return *own->kept;
  own->kept.reset();
  auto result = make();
  const auto* fresh = std::get_if<shared_answer>(&result);
  if (fresh != nullptr && fresh->text.size() <= longest)
    own->kept = *fresh;
  return result;
}

std::string question_text(const std::vector<std::string>& path, const http::query_map& query) {
  std::string result;
  for (const auto& x : path)
    add_part(x, result);
  result += "?";
  for (const auto& [name, is] : query) {
    add_part(name, result);
    add_part(is, result);
  }
  return result;
}

} // namespace tune::cli

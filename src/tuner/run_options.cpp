// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/run_options.hpp"

#include "tune/io/json.hpp"
#include "tune/tuner/own_actors.hpp"

#include <algorithm>

namespace tune {

run_options& run_options::set(std::string_view key, std::string text) {
  auto& keys = content_.keys;
  auto known = std::find_if(keys.begin(), keys.end(), [&](const auto& x) { return x.name == key; });
  if (known == keys.end())
    keys.push_back({std::string{key}, std::move(text)});
  else
    known->text = std::move(text);
  return *this;
}

run_options& run_options::storage(const std::filesystem::path& directory) {
  return set("experiment.storage", directory.string());
}

run_options& run_options::objective(std::string_view metric, std::string_view mode) {
  objectives_ += (objectives_.empty() ? "" : ", ") + std::string{metric} + ":" + std::string{mode};
  return set("experiment.metric", objectives_);
}

run_options& run_options::isolation(isolation_kind where) {
  return set("trainable.isolation", where == isolation_kind::process ? "process" : "thread");
}

run_options& run_options::parameter(std::string_view name, std::string text) {
  return set("space." + std::string{name}, std::move(text));
}

run_options& run_options::points(const std::vector<object>& first) {
  return set("search.points", to_json(value{value::list{first.begin(), first.end()}}));
}

void run_options::choose(std::string_view section, std::string type,
                         const std::vector<named_text>& options) {
  auto prefix = std::string{section} + ".";
  // Options of an earlier choice do not outlive it.
  std::erase_if(content_.keys, [&](const named_text& x) {
    return x.name.starts_with(prefix) && x.name != "search.points";
  });
  set(prefix + "type", std::move(type));
  for (const auto& x : options)
    set(prefix + x.name, x.text);
}

run_options& run_options::searcher(std::string type, const std::vector<named_text>& options) {
  content_.searcher = nullptr;
  choose("search", std::move(type), options);
  return *this;
}

run_options& run_options::searcher(own_searcher what) {
  content_.searcher = std::make_shared<const own_searcher>(std::move(what));
  return *this;
}

run_options& run_options::scheduler(std::string type, const std::vector<named_text>& options) {
  content_.scheduler = nullptr;
  choose("scheduler", std::move(type), options);
  return *this;
}

run_options& run_options::scheduler(own_scheduler what) {
  content_.scheduler = std::make_shared<const own_scheduler>(std::move(what));
  return *this;
}

run_options& run_options::time_limit(std::chrono::nanoseconds limit) {
  return set("experiment.time_limit", std::chrono::duration<double>(limit).count());
}

run_options& run_options::stop_at(std::string_view metric, double bound) {
  return set("stop." + std::string{metric}, bound);
}

run_options& run_options::resource(std::string_view what, double amount) {
  return set("resources." + std::string{what}, amount);
}

run_options& run_options::checkpoint_frequency(std::int64_t iterations) {
  return set("checkpoint.frequency", iterations);
}

run_options& run_options::listen(std::string where, const std::filesystem::path& certificates) {
  set("cluster.listen", std::move(where));
  return certificates.empty() ? *this : set("cluster.certs", certificates.string());
}

run_options& run_options::resume(bool wanted) {
  content_.resume = wanted ? std::optional{resume_mode::automatic} : std::nullopt;
  return *this;
}

run_options& run_options::resume(resume_mode how) {
  content_.resume = how;
  return *this;
}

run_options& run_options::read_environment(bool wanted) {
  content_.environment = wanted;
  return *this;
}

run_options& run_options::callback(std::shared_ptr<tuner_callback> what) {
  content_.callback = std::move(what);
  return *this;
}

run_options& run_options::run_in(caf::actor_system& system) {
  content_.system = &system;
  return *this;
}

} // namespace tune

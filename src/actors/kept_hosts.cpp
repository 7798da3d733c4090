// SPDX-License-Identifier: BSD-3-Clause
#include "kept_hosts.hpp"

#include <mutex>

namespace tune {

bool is_kept(const trainable_start& what) {
  const auto* plan = std::get_if<run_in_host>(&what.job->plan);
  return plan != nullptr && plan->reuse;
}

host_key host_key_of(const trainable_start& what) {
  const auto* plan = std::get_if<run_in_host>(&what.job->plan);
  const auto& order = what.order;
  return {order.job,  plan != nullptr ? plan->trainable : std::string{},
          order.cpus, order.gpu_amount,
          order.gpus, order.memory};
}

struct kept_hosts::content {
  std::mutex mutex;
  host_pool pool;
};

/// Listens to one host while it waits. Used on the service's thread; must not own the service.
class kept_hosts::waiting_host : public process_listener {
public:
  waiting_host(std::shared_ptr<content> where, host_key key, process_handle host)
      : where_{std::move(where)}, key_{std::move(key)}, host_{host} {}

  void started(pid_t) override {
    std::lock_guard lock{where_->mutex};
    where_->pool.give(std::move(key_), host_);
  }
  void exited(const exit_info&) override {
    std::lock_guard lock{where_->mutex};
    where_->pool.forget(host_);
  }

private:
  std::shared_ptr<content> where_;
  host_key key_;
  process_handle host_;
};

kept_hosts::kept_hosts(std::shared_ptr<process_service> processes)
    : processes_{std::move(processes)}, content_{std::make_shared<content>()} {}

kept_hosts::~kept_hosts() {
  close();
}

std::optional<process_handle> kept_hosts::take(const host_key& key) {
  std::lock_guard lock{content_->mutex};
  if (auto fits = content_->pool.take(key))
    return fits;
  for (auto which : content_->pool.make_room(key))
    processes_->end(which);
  return std::nullopt;
}

void kept_hosts::park(process_handle which, host_key key) {
  processes_->park(which,
                   std::make_shared<waiting_host>(content_, std::move(key), next_use(which)));
}

void kept_hosts::end_job(const std::string& job) {
  std::lock_guard lock{content_->mutex};
  for (auto which : content_->pool.take_all_of(job))
    processes_->end(which);
}

void kept_hosts::close() {
  std::lock_guard lock{content_->mutex};
  for (auto which : content_->pool.clear())
    processes_->end(which);
}

} // namespace tune

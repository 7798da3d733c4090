// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/asked_sinks.hpp"

#include "tune/actors/system.hpp"
#include "tune/tuner/running_sinks.hpp"

#include <utility>

namespace tune::cli {

class asked_sinks::impl {
public:
  impl(std::shared_ptr<experiment_store> store, std::vector<chosen_sink> which,
       std::chrono::nanoseconds finish_timeout, const std::function<void(const std::string&)>& tell)
      : store_{std::move(store)}
      , system_{config_}
      , sinks_{system_, store_->directory(), std::move(which), finish_timeout, tell} {}

  void committed() { sinks_.committed(store_->last_seq()); }
  void finish() { sinks_.settle(store_->last_seq()); }
  void dismiss() { sinks_.dismiss(); }

private:
  std::shared_ptr<experiment_store> store_;
  system_config config_{1};
  caf::actor_system system_;
  running_sinks sinks_;
};

asked_sinks::asked_sinks(const spec& what, const sink_catalogue& all,
                         std::shared_ptr<experiment_store> store,
                         const std::function<void(const std::string&)>& tell) {
  auto which = chosen_sinks(what, all, store->directory());
  if (!which.empty())
    impl_ = std::make_unique<impl>(std::move(store), std::move(which), what.sinks.finish_timeout,
                                   tell);
}

asked_sinks::~asked_sinks() {
  if (impl_ != nullptr)
    impl_->dismiss();
}

void asked_sinks::committed() {
  if (impl_ != nullptr)
    impl_->committed();
}

void asked_sinks::finish() {
  if (impl_ != nullptr)
    impl_->finish();
}

} // namespace tune::cli

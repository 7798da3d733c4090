/// How an actor system is started, beside tune/actors/caf.hpp: for the sources that configure one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#if !TUNE_CAF_1
#include <caf/policy/work_sharing.hpp>
#include <caf/scheduler/coordinator.hpp>
#endif

#include <memory>
#include <utility>

namespace tune {

#if !TUNE_CAF_1

namespace detail {

/// Our scheduler: all threads take from one queue. It either starts or ends the process.
class sharing_scheduler final : public caf::scheduler::coordinator<caf::policy::work_sharing> {
public:
  using coordinator::coordinator;
  void start() noexcept override { coordinator::start(); }
};

/// Wraps another module of CAF, which then either starts or ends the process.
class starting_module final : public caf::actor_system::module {
public:
  explicit starting_module(module* what) : what_{what} {}
  void start() noexcept override { what_->start(); }
  void stop() override { what_->stop(); }
  void init(caf::actor_system_config& config) override { what_->init(config); }
  [[nodiscard]] id_t id() const override { return what_->id(); }
  void* subtype_ptr() override { return what_->subtype_ptr(); }

private:
  std::unique_ptr<module> what_;
};

} // namespace detail

#endif

// CAF 0.17 cannot roll back a partly constructed system: if a thread cannot be started, the
// exception leaves the constructor and destroys what running threads wait for, which then hang or
// use freed objects. So the exception must not leave the module that met it.

/// Makes a system of this configuration use our scheduler, which either starts or ends the process
/// by `std::terminate` with the exception at hand. Used together with `share_one_queue`.
inline void use_sharing_scheduler(caf::actor_system_config& config) {
#if TUNE_CAF_1
  // 1.x creates its scheduler itself.
  static_cast<void>(config);
#else
  config.module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
    return new detail::sharing_scheduler{system};
  });
#endif
}

/// Makes the modules loaded by this configuration do the same: start, or end the process.
inline void start_or_end(caf::actor_system_config& config) {
#if TUNE_CAF_1
  // 1.x creates its modules itself.
  static_cast<void>(config);
#else
  for (auto& make : config.module_factories)
    make = [inner = std::move(make)](caf::actor_system& system) -> caf::actor_system::module* {
      auto* made = inner(system);
      // CAF casts the scheduler to its own type.
      if (made->id() == caf::actor_system::module::scheduler)
        return made;
      return new detail::starting_module{made};
    };
#endif
}

} // namespace tune

/// How an actor system begins, beside tune/actors/caf.hpp: for the sources that configure one.
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

/// Our scheduler: all threads take from one queue. It starts, or ends the process.
class sharing_scheduler final : public caf::scheduler::coordinator<caf::policy::work_sharing> {
public:
  using coordinator::coordinator;
  void start() noexcept override { coordinator::start(); }
};

/// Another module of CAF, which starts or ends the process.
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

// CAF 0.17 cannot take back a system that is half made: where a thread cannot be had, the exception
// leaves the constructor over what was made before, and destroys what running threads wait for,
// which hangs, or touches what has gone. So it must not leave the module that met it.

/// Has a system made of this configuration use our scheduler, which starts, or ends the process by
/// `std::terminate` with the exception at hand. Beside `share_one_queue`.
inline void use_sharing_scheduler(caf::actor_system_config& config) {
#if TUNE_CAF_1
  // 1.x makes its scheduler by itself.
  static_cast<void>(config);
#else
  config.module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
    return new detail::sharing_scheduler{system};
  });
#endif
}

/// Has the modules that this configuration has loaded start likewise, or end the process.
inline void start_or_end(caf::actor_system_config& config) {
#if TUNE_CAF_1
  // 1.x makes its modules by itself.
  static_cast<void>(config);
#else
  for (auto& make : config.module_factories)
    make = [inner = std::move(make)](caf::actor_system& system) -> caf::actor_system::module* {
      auto* made = inner(system);
      // CAF knows the scheduler by its type.
      if (made->id() == caf::actor_system::module::scheduler)
        return made;
      return new detail::starting_module{made};
    };
#endif
}

} // namespace tune

/// One conversation in which several clients take part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ask_tell/disk_world.hpp"
#include "serve/hosted_talk.hpp"
#include "tune/io/ask_tell/conversation.hpp"

#include <functional>
#include <mutex>
#include <string>

namespace tune::cli {

/// Lets clients speak one after the other, in the order in which they come.
class shared_talk final : public hosted_talk {
public:
  /// @param with, world Must outlive this object, and are used by nobody else meanwhile.
  /// @param broken Called once, in a client's thread, when nothing can be recorded any more.
  shared_talk(conversation& with, disk_world& world, std::string experiment,
              std::function<void(const error&)> broken)
      : with_{with}
      , world_{world}
      , experiment_{std::move(experiment)}
      , broken_{std::move(broken)} {}

  [[nodiscard]] const std::string& experiment() const override { return experiment_; }
  [[nodiscard]] expected<object> answer(const object& request) override;

private:
  conversation& with_;
  disk_world& world_;
  std::string experiment_;
  std::function<void(const error&)> broken_;
  std::mutex mutex_;
};

} // namespace tune::cli

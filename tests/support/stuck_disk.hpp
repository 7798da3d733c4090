/// Output files in memory, on a disk of which a part does not respond.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "processes.hpp"

#include "tune/io/process/output_sink.hpp"

#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tune::support {

/// Copies refer to the same disk. Thread-safe.
class stuck_disk {
public:
  /// @param part Files whose path contains this are neither written nor finished until `release`.
  explicit stuck_disk(const std::string& part) : content_{std::make_shared<content>()} {
    content_->part = part;
  }

  [[nodiscard]] output_maker maker() const {
    return [content = content_](const std::filesystem::path& path, std::uint64_t) {
      return std::make_unique<file>(content, path.string());
    };
  }

  void release() {
    std::lock_guard lock{content_->mutex};
    content_->released = true;
    content_->changed.notify_all();
  }
  /// @returns whether a writer got stuck before the timeout.
  [[nodiscard]] bool wait_stuck() {
    std::unique_lock lock{content_->mutex};
    return content_->changed.wait_for(lock, deadline, [this] { return content_->stuck > 0; });
  }
  [[nodiscard]] std::string of(const std::filesystem::path& path) const {
    std::lock_guard lock{content_->mutex};
    return content_->files[path.string()];
  }

private:
  struct content {
    std::mutex mutex;
    std::condition_variable changed;
    std::string part;
    bool released = false;
    int stuck = 0;
    std::map<std::string, std::string> files;
  };

  class file : public output_sink {
  public:
    file(std::shared_ptr<content> where, std::string path)
        : where_{std::move(where)}, path_{std::move(path)} {}

    void write(std::string_view bytes) override {
      auto lock = wait();
      where_->files[path_] += bytes;
    }
    std::string finish() override {
      auto lock = wait();
      return {};
    }

  private:
    std::shared_ptr<content> where_;
    std::string path_;

    std::unique_lock<std::mutex> wait() {
      std::unique_lock lock{where_->mutex};
      if (path_.find(where_->part) == path_.npos)
        return lock;
      ++where_->stuck;
      where_->changed.notify_all();
      where_->changed.wait(lock, [this] { return where_->released; });
      --where_->stuck;
      return lock;
    }
  };

  std::shared_ptr<content> content_;
};

} // namespace tune::support

/// A sink of spdlog that writes to a rotated file. Private to the logs of this room.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/rotating_file.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

namespace tune {

/// spdlog's own file sink would follow a link that somebody put there.
class rotating_sink : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit rotating_sink(rotating_file file) : file_{std::move(file)} {}
  ~rotating_sink() override { static_cast<void>(file_.flush()); }

protected:
  void sink_it_(const spdlog::details::log_msg& what) override {
    spdlog::memory_buf_t line;
    formatter_->format(what, line);
    must(file_.write({line.data(), line.size()}));
  }
  void flush_() override { must(file_.flush()); }

private:
  rotating_file file_;

  /// spdlog passes exceptions to its error handler.
  static void must(const expected<void>& done) {
    if (!done)
      throw spdlog::spdlog_ex{done.error().detail};
  }
};

} // namespace tune

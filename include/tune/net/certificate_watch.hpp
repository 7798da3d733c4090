/// Notices that certificates were replaced, revoked, or soon end, while the process runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/certificates/revocation_list.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tune {

/// Looks at the files again and again, on a thread of its own, so that a slow disk holds up nobody
/// else. The callbacks are called on that thread; either may be null.
class certificate_watch {
public:
  struct listeners {
    /// Told the list of revoked certificates at first, and whenever its file has changed. A list
    /// that cannot be read changes nothing.
    std::function<void(const revocation_list&)> revoked;
    /// Told, in lines for people, which certificate is used from now on, which files cannot be
    /// used, and once a day that the certificate soon ends.
    std::function<void(const std::string&)> tell;
  };

  certificate_watch(tls_files files, listeners who,
                    std::chrono::milliseconds pace = std::chrono::seconds{1});
  ~certificate_watch();
  certificate_watch(const certificate_watch&) = delete;
  certificate_watch& operator=(const certificate_watch&) = delete;

private:
  class looks;

  void run(std::chrono::milliseconds pace, looks what);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  /// Last: it uses the others.
  std::thread thread_;
};

} // namespace tune

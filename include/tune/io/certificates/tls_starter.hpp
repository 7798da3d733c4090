/// Begins TLS sessions with certificates that are replaced while the process runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/tls_session.hpp"

#include <memory>

namespace tune {

/// Reads the files, and the list of revoked certificates beside the CA, at once, and anew whenever
/// one of them has changed since. New files that do not fit together yet, as they are replaced one
/// by one, leave the former ones in use. For one thread.
class tls_starter {
public:
  tls_starter(tls_files files, tls_session::side which);
  tls_starter(tls_starter&&) noexcept;
  tls_starter& operator=(tls_starter&&) noexcept;
  ~tls_starter();

  /// Like `tls_session::begin`. @errors also if one of the three files is not there any more.
  [[nodiscard]] expected<tls_session> begin(int socket);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune

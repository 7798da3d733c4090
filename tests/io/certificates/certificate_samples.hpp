/// Certificates for tests: generated anew, and valid around the present time of the clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/certificates/own_certificate.hpp"

#include "io/scratch_directory.hpp"

#include <sys/stat.h>

namespace tune::samples {

inline validity_span days_around(calendar_time now, int from, int until) {
  return {now + std::chrono::days{from}, now + std::chrono::days{until}};
}

/// A fixture that has a directory for each cluster or node.
class certificate_test : public scratch_directory {
protected:
  const calendar_time now = calendar_now();
  /// Time at which clusters are made.
  const calendar_time founded = now - std::chrono::days{100};

  /// Makes a cluster's CA and the first node's certificate.
  std::filesystem::path make_cluster(const std::string& name) {
    auto directory = root / name;
    auto first = order("head");
    first.now = founded;
    auto made = init_certificates(directory, name, first);
    EXPECT_TRUE(made) << (made ? "" : to_text(made.error()));
    return directory;
  }

  [[nodiscard]] certificate_order order(const std::string& name) const {
    certificate_order result;
    result.whom.name = name;
    result.now = now;
    return result;
  }

  /// Makes a node of the cluster whose certificate has this span of validity.
  std::filesystem::path make_node(const std::filesystem::path& cluster, const std::string& name,
                                  validity_span valid) {
    auto directory = root / name;
    key_pair authority{content(cluster / "ca.pem"), content(cluster / "ca.key")};
    auto made = issue_certificate(authority, {name, {}}, valid);
    EXPECT_TRUE(made) << (made ? "" : to_text(made.error()));
    if (!made)
      return directory;
    fill(directory / "ca.pem", authority.certificate);
    fill(directory / "node.pem", made->certificate);
    fill(directory / "node.key", made->key);
    ::chmod((directory / "node.key").c_str(), 0600);
    return directory;
  }

  static mode_t mode_of(const std::filesystem::path& file) {
    struct stat about {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0) << file;
    return about.st_mode & 07777U;
  }
};

} // namespace tune::samples

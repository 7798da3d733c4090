/// Signed requests to an S3 server. Private to the object store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "object_store/aws_credentials.hpp"

#include "tune/core/error.hpp"
#include "tune/io/object_store/object_store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

struct s3_request {
  /// "GET", "PUT", "POST", "DELETE" or "HEAD".
  std::string method = {};
  /// In the bucket, without its encoding; empty: the bucket itself.
  std::string key = {};
  /// Sorted by name: the signature is made of it as it stands.
  std::vector<std::pair<std::string, std::string>> query = {};
  object_notes notes = {};
  /// Must live as long as the request.
  std::string_view body = {};
  /// Takes the body of a good answer piece by piece, and says whether it wants more; called anew
  /// from the beginning only by another request. Empty: it goes into `s3_reply::body`.
  std::function<bool(std::string_view)> take = {};
};

struct s3_reply {
  long status = 0;
  std::string body = {};
  /// By names in lower case.
  std::map<std::string, std::string> headers = {};
};

/// Where a bucket is served.
struct s3_address {
  /// "https://host:port", and the bucket as part of the path where it is none of the host.
  std::string base;
  std::string region;
};

/// The address of a bucket. @param variable as in `find_credentials`.
[[nodiscard]] s3_address address_of(const std::string& bucket, const bucket_settings& how,
                                    const std::function<std::string(const char*)>& variable);

/// The path and query of a request, encoded as they are signed.
[[nodiscard]] std::string target_of(const s3_request& x);

/// Keeps its connection between requests. For one thread; blocks.
class s3_connection {
public:
  s3_connection(std::string bucket, bucket_settings how);
  s3_connection(s3_connection&&) noexcept;
  ~s3_connection();

  /// Sends it; where `take` is empty, what may pass is tried three times within some two seconds.
  /// @returns replies with a status below 300, and 404 to HEAD and GET of an object that is not
  ///          there.
  /// @errors as `object_store`; `ec::storage` if `take` wanted no more.
  [[nodiscard]] expected<s3_reply> send(const s3_request& what);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune

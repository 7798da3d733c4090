// SPDX-License-Identifier: BSD-3-Clause
#include "serve/page_files.hpp"

#include "tune/web/web_assets.hpp"

namespace tune::cli {

std::map<std::string, page_file, std::less<>> page_files() {
  std::map<std::string, page_file, std::less<>> result;
  for (const auto& x : web::web_assets())
    result.emplace(x.path, page_file{x.mime, x.hash, x.bytes, x.gzipped, x.immutable});
  return result;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "head/submitter.hpp"

#include "console/text.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// A subject has fewer than a thousand characters. [bytes]
constexpr std::size_t longest_identity = 64 * 1024;

error in_storage(const error& why) {
  return {ec::storage, why.detail};
}

} // namespace

expected<void> write_submitter(const fs::path& directory, const std::string& identity) {
  auto place = guarded_directory::open(directory);
  if (!place)
    return in_storage(place.error());
  const std::string name{submitter_file};
  auto done = place->replace(name, identity + "\n", name + ".new");
  return done ? expected<void>{} : in_storage(done.error());
}

expected<std::optional<std::string>> read_submitter(const fs::path& directory) {
  auto place = guarded_directory::open(directory);
  if (!place)
    return in_storage(place.error());
  auto text = place->text(std::string{submitter_file}, longest_identity);
  if (!text)
    return in_storage(text.error());
  if (*text && (*text)->ends_with('\n'))
    (*text)->pop_back();
  return std::move(*text);
}

expected<void> may_see_and_steer(const fs::path& directory, const std::string& identity) {
  const auto name = printable(directory.filename().string());
  std::error_code failed;
  if (!fs::is_regular_file(database_file(directory), failed))
    return error{ec::unknown_name, "no experiment named " + name + " is in the head's storage"};
  if (identity.empty())
    return {};
  auto submitter = read_submitter(directory);
  if (!submitter)
    return submitter.error();
  if (!*submitter)
    return error{ec::refused, name
                                  + " was not submitted to a head: only the head's own machine"
                                    " may look at it"};
  if (**submitter != identity)
    return error{ec::refused,
                 name + " was submitted "
                     + ((*submitter)->empty() ? "over HTTP: only who asks over HTTP may"
                                              : "with another certificate: nobody else may")
                     + " see or steer it"};
  return {};
}

} // namespace tune::cli

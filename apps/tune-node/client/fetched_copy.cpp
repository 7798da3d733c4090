// SPDX-License-Identifier: BSD-3-Clause
#include "client/fetched_copy.hpp"

#include "console/text.hpp"
#include "output/write_rows.hpp"
#include "tune/io/checkpoint/verify_copy.hpp"

#include <cstdlib>
#include <iostream>

namespace tune::cli {

namespace {

void leave_at_signal(int signal) {
  std::_Exit(128 + signal);
}

} // namespace

void write_fetched(const command_line& line, const std::filesystem::path& target,
                   const copy_about& about) {
  const auto format = line.output.value_or(output_format::table);
  if (format == output_format::table)
    std::cout << printable(target.string()) << '\n';
  else
    write_row({{"name", target.string()}, {"what", about.what}, {"trial", about.trial}}, format,
              std::cout);
}

expected<void> check_copy(const std::filesystem::path& copy, bool is_listed) {
  if (!is_listed)
    return {};
  auto known = verify_checkpoint_copy(copy);
  if (!known)
    return error{known.error().code, "the copy is not whole: " + known.error().detail};
  if (!*known)
    return error{ec::storage, "the copy is not whole: " + std::string{checkpoint_manifest_name}
                                  + ", the list of its files, is missing"};
  return {};
}

copy_watch::copy_watch(copy_draft& draft)
    : watch_{[&draft](int signal) {
               if (draft.abandon())
                 leave_at_signal(signal);
             },
             leave_at_signal} {}

} // namespace tune::cli

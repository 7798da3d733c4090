// SPDX-License-Identifier: BSD-3-Clause
#include "serve/downloads.hpp"

#include "client/archive_packer.hpp"
#include "tune/http/byte_pipe.hpp"
#include "tune/http/byte_range.hpp"
#include "tune/http/problem.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

http::response no_file(const std::string& what) {
  return to_response(http::problem{404, "not_found", what});
}

/// @returns nothing if there is no such checkpoint.
expected<std::optional<checkpoint_row>> row_of(const fs::path& experiment, trial_id trial,
                                               std::uint64_t number) {
  auto reader = store_reader::open(experiment);
  if (!reader)
    return reader.error();
  auto rows = reader->checkpoints(trial);
  if (!rows)
    return rows.error();
  const auto found = std::find_if(rows->begin(), rows->end(),
                                  [&](const auto& x) { return x.checkpoint.number == number; });
  return found == rows->end() ? std::nullopt : std::optional{std::move(*found)};
}

/// Why a checkpoint cannot be sent; nothing: it can.
std::optional<http::problem> obstacle_of(const checkpoint_row& x) {
  if (x.state == "gone" || x.state == "doomed")
    return http::problem{410, "gone",
                         "this checkpoint was removed, since nobody needs it any more"};
  if (x.state != "good")
    return http::problem{409, "bad", "this checkpoint could not be restored: " + x.detail};
  if (x.location.starts_with("memory:"))
    return http::problem{409, "in_memory",
                         "this pause lies in the memory of its node, and not on disk"};
  if (x.location.starts_with("executor:"))
    return http::problem{409, "elsewhere", "an external executor keeps this checkpoint"};
  return std::nullopt;
}

bool is_plain_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
         || c == '-' || c == '_';
}

/// Copies a part of a file. @returns whether all of it was there and wanted.
bool copy(int from, http::byte_range part, http::byte_pipe& to) {
  std::array<char, 64 * 1024> buffer;
  auto at = part.first;
  while (at <= part.last) {
    const auto size = std::min<std::uint64_t>(buffer.size(), part.last - at + 1);
    const auto count = ::pread(from, buffer.data(), size, static_cast<::off_t>(at));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0 || !to.write({buffer.data(), static_cast<std::size_t>(count)}))
      return false;
    at += static_cast<std::uint64_t>(count);
  }
  return true;
}

/// Opens a regular file that has no other name. To open and close the database by another name
/// would end the locks that SQLite holds in this process.
expected<store::descriptor> open_plain(const fs::path& trials, const fs::path& way) {
  auto place = guarded_directory::open(trials, way.parent_path());
  if (!place)
    return place.error();
  const auto name = way.filename().string();
  if (auto oddity = place->oddity(name); !oddity.empty())
    return error{ec::refused, "it is " + oddity};
  return place->read(name);
}

http::response file_head(const std::string& name) {
  http::response result;
  result.headers.add("Content-Type", "application/octet-stream");
  result.headers.add("Content-Disposition", attachment_named(name));
  result.headers.add("Cache-Control", "no-store");
  return result;
}

} // namespace

std::string attachment_named(const std::string& name) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string plain;
  std::string coded;
  for (const auto c : name) {
    const auto byte = static_cast<unsigned char>(c);
    plain += is_plain_byte(c) ? c : '_';
    if (is_plain_byte(c))
      coded += c;
    else
      (((coded += '%') += digits[byte >> 4]) += digits[byte & 15]);
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + coded;
}

expected<std::unique_ptr<downloads>> downloads::start() {
  auto pool = http::worker_pool::start(most, most);
  if (!pool)
    return pool.error();
  auto result = std::make_unique<downloads>();
  result->pool_ = std::move(*pool);
  return result;
}

http::response downloads::stream(http::response head, std::function<bool(http::byte_pipe&)> work) {
  auto pipe = std::make_shared<http::byte_pipe>();
  head.stream = pipe;
  if (!pool_->post([pipe, work = std::move(work)] { pipe->finish(work(*pipe)); }))
    return to_response(http::problem{503, "busy", "too many downloads at a time: try again"});
  return head;
}

http::response downloads::checkpoint(const fs::path& experiment, trial_id trial,
                                     std::uint64_t number) {
  auto row = row_of(experiment, trial, number);
  if (!row)
    return to_response(http::problem_of(row.error()));
  if (!*row)
    return no_file("this trial has no such checkpoint");
  if (auto why = obstacle_of(**row))
    return to_response(*why);
  const auto way = fs::path{(*row)->location}.lexically_relative(trials_directory({}));
  auto from = way.empty() || *way.begin() == ".."
                  ? expected<guarded_directory>{error{ec::refused, "it lies elsewhere"}}
                  : guarded_directory::open(trials_directory(experiment), way);
  if (!from)
    return to_response(http::problem{410, "gone", "this checkpoint cannot be opened any more"});
  http::response head;
  head.headers.add("Content-Type", "application/x-tar");
  head.headers.add("Content-Disposition",
                   attachment_named(to_text(trial) + "-" + way.filename().string() + ".tar"));
  head.headers.add("Cache-Control", "no-store");
  auto shared = std::make_shared<guarded_directory>(std::move(*from));
  return stream(std::move(head), [shared](http::byte_pipe& to) {
    auto packed = pack(*shared, {}, [&](std::string_view bytes) { return to.write(bytes); });
    return packed && packed->how == packing_result::end::whole;
  });
}

http::response downloads::artifact(const http::request& what, const fs::path& experiment,
                                   trial_id trial, const std::string& path) {
  auto file = open_plain(trials_directory(experiment), fs::path{to_text(trial)} / path);
  if (!file)
    return no_file("this trial has no such file");
  struct ::stat about {};
  if (::fstat(file->number(), &about) != 0 || !S_ISREG(about.st_mode))
    return no_file("this is no file");
  const auto size = static_cast<std::uint64_t>(about.st_size);
  auto head = file_head(fs::path{path}.filename().string());
  head.headers.add("Accept-Ranges", "bytes");
  const auto range = http::read_range(what.headers.only("Range"), size);
  if (std::holds_alternative<http::no_such_range>(range)) {
    auto result = to_response(http::problem{416, "no_such_range", "the file is shorter"});
    result.headers.add("Content-Range", "bytes */" + std::to_string(size));
    return result;
  }
  const auto* part = std::get_if<http::byte_range>(&range);
  if (part == nullptr && size == 0)
    return head;
  const auto wanted = part != nullptr ? *part : http::byte_range{0, size - 1};
  if (part != nullptr) {
    head.status = 206;
    head.headers.add("Content-Range", "bytes " + std::to_string(part->first) + "-"
                                          + std::to_string(part->last) + "/"
                                          + std::to_string(size));
  }
  head.stream_size = wanted.size();
  auto shared = std::make_shared<store::descriptor>(std::move(*file));
  return stream(std::move(head), [shared, wanted](http::byte_pipe& to) {
    return copy(shared->number(), wanted, to);
  });
}

} // namespace tune::cli

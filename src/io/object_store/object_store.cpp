// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/object_store/object_store.hpp"

#include "object_store/s3_connection.hpp"
#include "object_store/s3_replies.hpp"
#include "posix/posix.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/files/sha256.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t least_part = 16U << 20U;
constexpr std::uint64_t most_part = 64U << 20U;
constexpr std::uint64_t most_parts = 10'000;
constexpr std::string_view note_prefix = "x-amz-meta-";

/// A local file that is read once, from its beginning to its end.
class stored_file {
public:
  static expected<stored_file> open(const fs::path& path) {
    auto opened = store::open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "read");
    if (!opened)
      return store::when_read(opened.error());
    struct ::stat about {};
    if (::fstat(opened->number(), &about) != 0 || !S_ISREG(about.st_mode))
      return error{ec::unreadable, path.string() + ": it is no file"};
    const auto size = static_cast<std::uint64_t>(about.st_size);
    if (size > max_object_bytes)
      return error{ec::refused, printable(path.string())
                                    + ": it is larger than the 625 GiB that an"
                                      " object may have"};
    return stored_file{path, std::move(*opened), size};
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// So many that there are not too many.
  [[nodiscard]] std::uint64_t part_size() const {
    return std::clamp((size_ + most_parts - 1) / most_parts, least_part, most_part);
  }

  /// The next `part_size` bytes, or the rest.
  expected<std::string_view> next() {
    buffer_.resize(static_cast<std::size_t>(std::min(part_size(), size_ - read_)));
    std::size_t filled = 0;
    while (filled < buffer_.size()) {
      const auto count = ::read(file_.number(), buffer_.data() + filled, buffer_.size() - filled);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return store::when_read(store::system_error(path_, "read", errno));
      if (count == 0)
        return error{ec::storage, printable(path_.string()) + ": it was cut while it was stored"};
      filled += static_cast<std::size_t>(count);
    }
    read_ += filled;
    hash_.update(buffer_);
    return std::string_view{buffer_};
  }

  /// Compares what was read. @param hash as in `object_store::put_file`.
  expected<void> check(const std::string& hash) {
    if (hash.empty() || hash_.finish() == hash)
      return {};
    return error{ec::storage,
                 printable(path_.string()) + ": its content is not what was saved there"};
  }

private:
  fs::path path_;
  store::descriptor file_;
  std::uint64_t size_;
  std::uint64_t read_ = 0;
  std::string buffer_ = {};
  sha256 hash_ = {};

  stored_file(fs::path path, store::descriptor file, std::uint64_t size)
      : path_{std::move(path)}, file_{std::move(file)}, size_{size} {}
};

} // namespace

class object_store::impl {
public:
  impl(bucket_place where, bucket_settings how)
      : where_{std::move(where)}, to_{where_.bucket, std::move(how)} {}

  [[nodiscard]] const bucket_place& place() const { return where_; }

  [[nodiscard]] std::string full(const std::string& key) const { return where_.below(key).prefix; }

  expected<s3_reply> send(const s3_request& what) { return to_.send(what); }

  expected<void> put_whole(const std::string& key, stored_file& from, const std::string& hash,
                           const object_notes& notes) {
    auto content = from.next();
    if (!content)
      return content.error();
    if (auto same = from.check(hash); !same)
      return same;
    auto done = send({"PUT", full(key), {}, notes, *content});
    return done ? expected<void>{} : done.error();
  }

  expected<void> put_in_parts(const std::string& key, stored_file& from, const std::string& hash,
                              const object_notes& notes) {
    auto begun = send({"POST", full(key), {{"uploads", ""}}, notes});
    if (!begun)
      return begun.error();
    const auto id = xml_text(begun->body, "UploadId").value_or("");
    if (id.empty())
      return error{ec::unreachable, to_text(where_.below(key)) + ": the store begins no upload"};
    auto done = send_parts(key, id, from, hash);
    // Parts that are given up cost room there.
    if (!done)
      static_cast<void>(send({"DELETE", full(key), {{"uploadId", id}}}));
    return done;
  }

  expected<std::optional<object_notes>> look(const std::string& key) {
    auto reply = send({"HEAD", full(key)});
    if (!reply)
      return reply.error();
    if (reply->status == 404)
      return std::optional<object_notes>{};
    object_notes result;
    for (const auto& [name, content] : reply->headers) {
      if (name.starts_with(note_prefix))
        result[name.substr(note_prefix.size())] = content;
    }
    return std::optional{std::move(result)};
  }

  expected<std::vector<listed_object>> list(const std::string& prefix) {
    const auto root = where_.prefix.empty() ? std::string{} : where_.prefix + "/";
    std::vector<listed_object> result;
    std::string next;
    do {
      auto page = page_of(root + prefix, next);
      if (!page)
        return page.error();
      for (auto& x : page->objects) {
        if (!x.key.starts_with(root + prefix))
          return error{ec::protocol, to_text(where_) + ": a listing has keys that are not wanted"};
        x.key.erase(0, root.size());
        result.push_back(std::move(x));
      }
      next = std::move(page->next);
    } while (!next.empty());
    return result;
  }

private:
  bucket_place where_;
  s3_connection to_;

  expected<void> send_parts(const std::string& key, const std::string& id, stored_file& from,
                            const std::string& hash) {
    std::string parts = "<CompleteMultipartUpload>";
    const auto count = (from.size() + from.part_size() - 1) / from.part_size();
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto number = std::to_string(i);
      auto content = from.next();
      if (!content)
        return content.error();
      auto sent
          = send({"PUT", full(key), {{"partNumber", number}, {"uploadId", id}}, {}, *content});
      if (!sent)
        return sent.error();
      parts += "<Part><PartNumber>" + number + "</PartNumber><ETag>" + sent->headers["etag"]
               + "</ETag></Part>";
    }
    if (auto same = from.check(hash); !same)
      return same;
    parts += "</CompleteMultipartUpload>";
    auto done = send({"POST", full(key), {{"uploadId", id}}, {}, parts});
    if (!done)
      return done.error();
    // The status was sent before the parts were joined.
    if (xml_text(done->body, "Code"))
      return error{ec::unreachable, to_text(where_.below(key))
                                        + ": the store cannot join the parts: "
                                        + printable(xml_text(done->body, "Message").value_or(""))};
    return {};
  }

  expected<listing_page> page_of(const std::string& prefix, const std::string& next) {
    s3_request what{"GET"};
    if (!next.empty())
      what.query.emplace_back("continuation-token", next);
    what.query.emplace_back("encoding-type", "url");
    what.query.emplace_back("list-type", "2");
    what.query.emplace_back("prefix", prefix);
    auto reply = send(what);
    if (!reply)
      return reply.error();
    auto page = listing_page_from(reply->body);
    if (!page)
      return error{ec::unreachable, to_text(where_) + ": " + page.error().detail};
    return page;
  }
};

object_store::object_store(bucket_place where, bucket_settings how)
    : impl_{std::make_unique<impl>(std::move(where), std::move(how))} {}
object_store::object_store(object_store&&) noexcept = default;
object_store& object_store::operator=(object_store&&) noexcept = default;
object_store::~object_store() = default;

const bucket_place& object_store::place() const {
  return impl_->place();
}

expected<void> object_store::put_file(const std::string& key, const fs::path& file,
                                      const std::string& hash, const object_notes& notes) {
  auto from = stored_file::open(file);
  if (!from)
    return from.error();
  return from->size() <= from->part_size() ? impl_->put_whole(key, *from, hash, notes)
                                           : impl_->put_in_parts(key, *from, hash, notes);
}

expected<std::string> object_store::get_file(const std::string& key, const store::descriptor& to,
                                             const fs::path& shown) {
  sha256 hash;
  std::optional<error> failure;
  s3_request what{"GET", impl_->full(key)};
  what.take = [&](std::string_view bytes) {
    hash.update(bytes);
    auto written = store::write_all(to, shown, bytes);
    if (!written)
      failure = written.error();
    return written.has_value();
  };
  auto reply = impl_->send(what);
  if (failure)
    return *failure;
  if (!reply)
    return reply.error();
  if (reply->status == 404)
    return error{ec::unreadable,
                 printable(to_text(place().below(key))) + ": there is no such object"};
  return hash.finish();
}

expected<std::optional<object_notes>> object_store::look(const std::string& key) {
  return impl_->look(key);
}

expected<std::vector<listed_object>> object_store::list(const std::string& prefix) {
  return impl_->list(prefix);
}

expected<void> object_store::remove(const std::string& key) {
  auto done = impl_->send({"DELETE", impl_->full(key)});
  return done ? expected<void>{} : done.error();
}

} // namespace tune

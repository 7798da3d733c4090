// SPDX-License-Identifier: BSD-3-Clause
#include "incoming_checkpoint.hpp"

#include "tune/io/artifacts/artifacts.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <system_error>
#include <utility>

namespace tune {

outline_message to_words(const stream_outline& x) {
  return {x.manifest_hash, x.manifest_size, x.bytes};
}

stream_outline from_words(const outline_message& x) {
  return {x.manifest_hash, x.manifest_size, x.bytes};
}

namespace {

/// Makes the folder of the draft, which must not be reachable through a link.
expected<void> make_folder(const checkpoint_draft& of) {
  const auto folder = of.directory.parent_path();
  const auto trials = of.experiment / "trials";
  const auto way = folder.lexically_relative(trials);
  if (way.empty() || *way.begin() == "..")
    return {};
  std::error_code why;
  std::filesystem::create_directories(trials, why);
  if (why)
    return error{ec::storage, "cannot make " + trials.string() + ": " + why.message()};
  auto made = guarded_directory::make(trials, way);
  return made ? expected<void>{} : made.error();
}

} // namespace

expected<incoming_checkpoint> incoming_checkpoint::begin(std::uint64_t number,
                                                         checkpoint_draft where,
                                                         const outline_message& stream,
                                                         const incoming_limits& limits) {
  if (auto made = make_folder(where); !made)
    return made.error();
  auto to = checkpoint_writer::begin(where.directory, from_words(stream), limits.most);
  if (!to)
    return to.error();
  return incoming_checkpoint{number, std::move(where), std::move(*to),
                             piece_window{stream.bytes, limits.piece_bytes, limits.credit}};
}

expected<incoming_checkpoint> incoming_checkpoint::begin_artifacts(std::uint64_t number,
                                                                   checkpoint_draft where,
                                                                   const artifact_place& whose,
                                                                   const outline_message& stream,
                                                                   const incoming_limits& limits) {
  auto plain = limits;
  plain.most = {};
  auto result = begin(number, std::move(where), stream, plain);
  if (result)
    result->artifacts_ = whose;
  return result;
}

std::optional<piece_wanted> incoming_checkpoint::next_due() {
  auto next = window_.next_due();
  if (!next)
    return std::nullopt;
  ++under_way_;
  return piece_wanted{number_, next->offset, next->size};
}

std::vector<piece_wanted> incoming_checkpoint::due() {
  std::vector<piece_wanted> result;
  while (auto next = next_due())
    result.push_back(*next);
  return result;
}

expected<void> incoming_checkpoint::take(const checkpoint_piece& x) {
  idle_ = 0;
  if (!x.why.empty())
    return error{x.is_passing ? ec::shortage : ec::unreachable, x.why};
  if (!window_.take(x.offset, x.bytes.size()))
    return error{ec::protocol, "a piece of the checkpoint came that was not asked for"};
  --under_way_;
  return to_.append(x.bytes);
}

bool incoming_checkpoint::is_complete() const {
  return window_.is_done() && to_.is_complete();
}

sliced<expected<std::uint64_t>> incoming_checkpoint::placing_beside(incoming_checkpoint what) {
  const auto place = *what.artifacts_;
  auto content = what.to_.content();
  if (content.files.size() > place.max_files)
    co_return error{ec::refused, "they are more than [trainable] artifacts_max_files"};
  what.to_.release();
  co_return co_await placing_artifacts(what.where_.experiment, place.whose, std::move(content));
}

sliced<expected<std::uint64_t>> incoming_checkpoint::placing(incoming_checkpoint what) {
  if (what.artifacts_)
    co_return co_await placing_beside(std::move(what));
  auto done = co_await placing_checkpoint(what.where_);
  if (!done)
    co_return done.error();
  what.to_.release();
  co_return what.to_.bytes();
}

expected<std::uint64_t> incoming_checkpoint::place(incoming_checkpoint what) {
  return *finish(placing(std::move(what)));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/sink_feed.hpp"

#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace tune {

namespace {

constexpr std::size_t fed_at_once = 4096;
constexpr std::size_t fed_bytes_at_once = 4 * 1024 * 1024;

/// Runs code of the calling program. @errors `ec::refused` with the message of the exception it
/// threw.
template <class F>
expected<void> guarded(F what) {
  try {
    what();
    return {};
  } catch (const std::exception& x) {
    return error{ec::refused, std::string{"it threw: "} + x.what()};
  } catch (...) {
    return error{ec::refused, "it threw an exception"};
  }
}

} // namespace

class sink_feed::impl {
public:
  impl(std::filesystem::path directory, chosen_sink what)
      : directory_{std::move(directory)}, what_{std::move(what)} {}

  expected<void> catch_up(sequence committed) {
    if (auto ready = open(); !ready)
      return ready;
    auto before = cursor_;
    while (cursor_ < committed) {
      if (auto told = advance(committed); !told)
        return told;
    }
    return before == cursor_ ? expected<void>{} : guarded([&] { to_->flush(cursor_); });
  }

private:
  std::filesystem::path directory_;
  chosen_sink what_;
  std::unique_ptr<trial_sink> to_;
  std::optional<store_reader> from_;
  sequence cursor_ = 0;

  expected<void> open() {
    if (from_)
      return {};
    auto opened = store_reader::open(directory_);
    if (!opened)
      return opened.error();
    if (auto made = make(); !made)
      return made;
    from_.emplace(std::move(*opened));
    return {};
  }

  expected<void> make() {
    if (to_ != nullptr)
      return {};
    auto refused = error{ec::refused, "its factory made nothing"};
    auto done = guarded([&] {
      auto made = what_.make();
      if (!made) {
        refused = made.error();
        return;
      }
      to_ = std::move(*made);
      if (to_ != nullptr)
        cursor_ = to_->cursor();
    });
    if (!done)
      return done;
    return to_ == nullptr ? expected<void>{refused} : expected<void>{};
  }

  expected<void> advance(sequence committed) {
    auto limit = std::min<sequence>(fed_at_once, committed - cursor_);
    auto some = from_->events_after(cursor_, static_cast<std::size_t>(limit), fed_bytes_at_once);
    if (!some)
      return some.error();
    if (some->empty())
      return error{ec::internal, "the log ends at event " + std::to_string(cursor_)
                                     + ", before event " + std::to_string(committed)};
    for (const auto& x : *some) {
      if (auto told = tell(x); !told)
        return told;
      cursor_ = x.seq;
    }
    return {};
  }

  expected<void> tell(const event& what) {
    log_place where{what.seq, what.at};
    if (const auto* x = std::get_if<on::placed>(&what.what)) {
      auto config = config_of(*x);
      if (!config)
        return config.error();
      return guarded([&] { to_->started(where, *x, *config); });
    }
    if (const auto* x = std::get_if<on::reported>(&what.what))
      return guarded([&] { to_->reported(where, *x->what); });
    if (const auto* x = std::get_if<on::saved>(&what.what))
      return guarded([&] { to_->saved(where, *x); });
    if (const auto* x = std::get_if<on::ended>(&what.what))
      return guarded([&] { to_->ended(where, *x); });
    return {};
  }

  /// The configuration of the attempt; that of its trial may have changed since.
  expected<object> config_of(const on::placed& x) {
    auto row = from_->attempt(x.attempt);
    if (!row)
      return row.error();
    if (*row && (*row)->config != nullptr)
      return *(*row)->config;
    return object{};
  }
};

sink_feed::sink_feed(std::filesystem::path directory, chosen_sink what)
    : impl_{std::make_unique<impl>(std::move(directory), std::move(what))} {}
sink_feed::sink_feed(sink_feed&&) noexcept = default;
sink_feed::~sink_feed() = default;

expected<void> sink_feed::catch_up(sequence committed) {
  return impl_->catch_up(committed);
}

} // namespace tune

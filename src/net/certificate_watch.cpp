// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/certificate_watch.hpp"

#include "tune/io/certificates/file_state.hpp"

#include <array>
#include <optional>
#include <utility>

namespace tune {

/// One thread's view of the files.
class certificate_watch::looks {
public:
  looks(tls_files files, listeners who)
      : files_{std::move(files)}
      , list_{revocation_file_in(files_.authority.parent_path())}
      , who_{std::move(who)} {}

  void look() {
    if (who_.revoked || who_.tell)
      look_at_list();
    if (who_.tell)
      look_at_own();
  }

private:
  tls_files files_;
  std::filesystem::path list_;
  listeners who_;
  std::optional<file_state> list_read_;
  std::optional<std::array<file_state, 3>> own_read_;
  std::string fingerprint_;
  bool unfit_ = false;
  std::optional<std::chrono::steady_clock::time_point> warned_;

  void tell(const std::string& text) const {
    if (who_.tell)
      who_.tell(text);
  }

  void look_at_list() {
    const auto now = state_of_file(list_);
    if (list_read_ == now)
      return;
    const auto is_first = !list_read_;
    list_read_ = now;
    auto list = load_revocations(list_);
    if (!list)
      return tell(list.error().detail + "; the former list counts");
    if (who_.revoked)
      who_.revoked(*list);
    if (!is_first || list->size() > 0)
      tell("revoked certificates: " + std::to_string(list->size()) + " in " + list_.string());
  }

  void look_at_own() {
    const std::array now{state_of_file(files_.certificate), state_of_file(files_.key),
                         state_of_file(files_.authority)};
    if (own_read_ != now) {
      const auto is_first = !own_read_;
      own_read_ = now;
      auto mine = load_own_certificate(files_);
      if (!mine)
        return is_first ? void() : note_unfit(mine.error().detail);
      if (mine->certificate.fingerprint
              != std::exchange(fingerprint_, mine->certificate.fingerprint)
          && !is_first)
        tell("new connections use the certificate of " + mine->files.certificate.string()
             + " that ends on " + date_text(mine->certificate.valid.until));
      warned_.reset();
    }
    warn_of_end();
  }

  /// Files are replaced one by one: only what stays so is worth a line.
  void note_unfit(const std::string& why) {
    if (std::exchange(unfit_, true))
      tell(why + "; connections go on with the former certificate");
    else
      own_read_ = std::array<file_state, 3>{};
  }

  void warn_of_end() {
    unfit_ = false;
    constexpr std::chrono::hours pause{24};
    const auto now = std::chrono::steady_clock::now();
    if (warned_ && now < *warned_ + pause)
      return;
    warned_ = now;
    if (auto mine = load_own_certificate(files_); mine) {
      if (auto text = expiry_warning(*mine, calendar_now()); !text.empty())
        tell(text);
    } else {
      tell(mine.error().detail);
    }
  }
};

certificate_watch::certificate_watch(tls_files files, listeners who, std::chrono::milliseconds pace)
    : thread_{[this, pace, what = looks{std::move(files), std::move(who)}]() mutable {
      run(pace, std::move(what));
    }} {}

certificate_watch::~certificate_watch() {
  {
    std::lock_guard guard{mutex_};
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void certificate_watch::run(std::chrono::milliseconds pace, looks what) {
  std::unique_lock guard{mutex_};
  while (!over_) {
    guard.unlock();
    what.look();
    guard.lock();
    changed_.wait_for(guard, pace, [this] { return over_; });
  }
}

} // namespace tune

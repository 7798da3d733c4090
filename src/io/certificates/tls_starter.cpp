// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/tls_starter.hpp"

#include "tls_context.hpp"

#include "tune/io/certificates/file_state.hpp"
#include "tune/io/certificates/revocation_list.hpp"

#include <array>
#include <utility>

namespace tune {

class tls_starter::impl {
public:
  impl(tls_files files, tls_session::side which) : files_{std::move(files)}, which_{which} {
    // What is wrong with them is told when they are needed.
    static_cast<void>(refresh());
  }

  expected<tls_session> begin(int socket) {
    if (auto fresh = refresh(); !fresh)
      return fresh.error();
    return tls_session::over(context_.get(), socket, which_);
  }

private:
  /// Certificate, key, CA, list.
  using states = std::array<file_state, 4>;

  tls_files files_;
  tls_session::side which_;
  openssl::context_ptr context_;
  states read_{};

  [[nodiscard]] states look() const {
    return {state_of_file(files_.certificate), state_of_file(files_.key),
            state_of_file(files_.authority),
            state_of_file(revocation_file_in(files_.authority.parent_path()))};
  }

  /// Taken before the files are read, so that a change meanwhile is seen the next time.
  expected<void> refresh() {
    const auto now = look();
    if (context_ && now == read_)
      return {};
    auto made = which_ == tls_session::side::accepts ? make_server_context(files_)
                                                     : make_client_context(files_);
    if (made) {
      context_ = std::move(*made);
      read_ = now;
      return {};
    }
    const auto all_there = now[0].is_there() && now[1].is_there() && now[2].is_there();
    if (context_ && all_there)
      return {};
    return made.error();
  }
};

tls_starter::tls_starter(tls_files files, tls_session::side which)
    : impl_{std::make_unique<impl>(std::move(files), which)} {}
tls_starter::tls_starter(tls_starter&&) noexcept = default;
tls_starter& tls_starter::operator=(tls_starter&&) noexcept = default;
tls_starter::~tls_starter() = default;

expected<tls_session> tls_starter::begin(int socket) {
  return impl_->begin(socket);
}

} // namespace tune

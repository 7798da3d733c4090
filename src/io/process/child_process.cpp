// SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tune {

namespace {

/// More than any pipe holds. The limit keeps a stray that writes on after the end from delaying the
/// service.
constexpr std::size_t drain_limit = 2 * 1024 * 1024;
constexpr std::size_t max_reports_after_end = 256;
constexpr std::size_t first_line_count = 3;
constexpr std::size_t last_line_count = 5;

constexpr std::array<std::string_view, 5> own_variables{
    "TUNE_TRIAL_ATTEMPT=", "TUNE_TRIAL_GUARD=", "TUNE_TRIAL_PLACE=", "TUNE_TRIAL_REPORT_FD=",
    "TUNE_TRIAL_ANSWER_FD="};

std::size_t longest_report(const process_order& what, const process_service_options& options) {
  return what.max_report_line > 0 ? what.max_report_line : options.max_report_line;
}

} // namespace

child_process::child_process(std::uint64_t id, process_order what,
                             std::shared_ptr<process_listener> who, const child_means& means)
    : id_{id}
    , order_{std::move(what)}
    , who_{std::move(who)}
    , means_{means}
    , watch_{means.watch}
    , max_report_line_{longest_report(order_, means.options)}
    , inputs_{{{.role = pipe_role::out,
                .fd = {},
                .lines = line_splitter{means.options.max_stdout_line, line_ends::returns_too},
                .drain_left = drain_limit},
               {.role = pipe_role::err,
                .fd = {},
                .lines = line_splitter{means.options.max_stdout_line, line_ends::returns_too},
                .drain_left = drain_limit},
               {.role = pipe_role::report,
                .fd = {},
                .lines = line_splitter{max_report_line_},
                .drain_left = drain_limit}}}
    , waiting_answers_{means.options.max_waiting_answers} {}

std::vector<int> child_process::remote_fds() const {
  std::vector<int> result;
  for (const auto& fd : remote_)
    result.push_back(fd.get());
  return result;
}

guard_wire::launch child_process::launch_message(const std::string& guard_mark) const {
  guard_wire::launch result;
  result.id = id_;
  result.has_stdout = static_cast<bool>(inputs_[0].fd);
  result.has_stderr = true;
  result.has_protocol = order_.protocol;
  result.protocol_is_standard = order_.protocol_is_standard;
  result.grace = order_.grace;
  result.memory_limit = order_.memory_limit;
  result.address_space_fallback = order_.address_space_fallback;
  result.tag = order_.tag;
  result.directory = order_.directory.string();
  result.argv = order_.argv;
  result.limits = order_.limits;
  for (const auto& entry : order_.env) {
    std::string_view text{entry};
    auto ours = [&](std::string_view name) { return text.starts_with(name); };
    if (std::none_of(own_variables.begin(), own_variables.end(), ours))
      result.env.push_back(entry);
  }
  result.env.push_back("TUNE_TRIAL_ATTEMPT=" + order_.tag);
  result.env.push_back("TUNE_TRIAL_GUARD=" + guard_mark);
  if (!order_.place.empty())
    result.env.push_back("TUNE_TRIAL_PLACE=" + order_.place);
  if (order_.protocol && !order_.protocol_is_standard) {
    result.env.emplace_back("TUNE_TRIAL_REPORT_FD=3");
    result.env.emplace_back("TUNE_TRIAL_ANSWER_FD=4");
  }
  return result;
}

void child_process::on_started(pid_t pid) {
  started_ = true;
  pid_ = pid;
  who_->started(pid);
}

void child_process::watch_all() {
  for (auto& in : inputs_)
    watch(in);
  flush_answers();
}

void child_process::watch(input& from) {
  if (from.fd && !from.held && !from.watched && !exit_)
    from.watched = watch_.add(from.fd.get(), {id_, from.role}, EPOLLIN);
}

void child_process::close(input& from) {
  if (!from.fd)
    return;
  if (std::exchange(from.watched, false))
    watch_.remove(from.fd.get());
  from.fd.reset();
  if (from.role == pipe_role::report)
    finish_lines(from);
}

void child_process::finish_lines(input& from) {
  if (has_lines(from))
    from.lines.finish([&](auto line, bool truncated) { return hear(from, line, truncated); });
}

bool child_process::has_lines(const input& from) const {
  return from.role == pipe_role::report || (from.role == pipe_role::out && order_.stdout_lines)
         || (from.role == pipe_role::err && order_.stderr_lines);
}

child_process::read_result child_process::read_once(input& from, std::span<char> buffer) {
  ssize_t count = 0;
  do {
    count = ::read(from.fd.get(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN)
    return read_result::nothing;
  if (count <= 0)
    return read_result::closed;
  std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
  if (auto* to = output_of(from))
    to->write(bytes);
  if (has_lines(from))
    take(from, bytes);
  if (exit_ || changes_hands_)
    from.drain_left -= std::min(from.drain_left, bytes.size());
  return read_result::some;
}

child_process::output* child_process::output_of(const input& from) {
  if (from.role == pipe_role::out)
    return &out_;
  return from.role == pipe_role::err ? &err_ : nullptr;
}

bool child_process::is_choked(const input& from) {
  auto* to = output_of(from);
  return to != nullptr && to->file.is_full();
}

void child_process::take(input& from, std::string_view bytes) {
  if (from.role != pipe_role::report)
    who_->output_read();
  auto taken = from.lines.feed(bytes, [&](auto line, bool cut) { return hear(from, line, cut); });
  from.rest.assign(bytes.substr(taken));
}

bool child_process::hear(input& from, std::string_view line, bool truncated) {
  if (from.role == pipe_role::out) {
    if (!end_requested_)
      from.held = who_->stdout_line(line, truncated) == line_flow::hold;
  } else if (from.role == pipe_role::err) {
    if (!end_requested_)
      from.held = who_->stderr_line(line, truncated) == line_flow::hold;
  } else if (!end_requested_ || reports_after_end_ < max_reports_after_end) {
    reports_after_end_ += end_requested_;
    from.held = who_->report_line(line, truncated) == line_flow::hold;
  }
  from.held = from.held && !end_requested_;
  return !from.held;
}

bool child_process::on_ready(pipe_role role, std::span<char> buffer) {
  if (role == pipe_role::answer) {
    flush_answers();
    hear_on_if_answered(buffer);
    return false;
  }
  auto& from = inputs_[static_cast<std::size_t>(role)];
  if (!from.watched)
    return false;
  // Checked only here, so that a process that waits for its answer costs no further calls.
  if (from.held || is_choked(from)) {
    from.watched = false;
    watch_.remove(from.fd.get());
    return false;
  }
  if (read_once(from, buffer) != read_result::closed)
    return false;
  close(from);
  return true;
}

void child_process::resume(pipe_role role, std::span<char> buffer) {
  auto& from = inputs_[static_cast<std::size_t>(role)];
  if (!std::exchange(from.held, false))
    return;
  auto rest = std::exchange(from.rest, {});
  take(from, rest);
  if (exit_)
    drain(buffer);
  else
    watch(from);
}

void child_process::answer(std::string_view line, std::span<char> buffer) {
  if (waiting_answers_.add(line))
    flush_answers();
  hear_on_if_answered(buffer);
}

/// Reads no more reports while the process leaves answers unread.
void child_process::hear_on_if_answered(std::span<char> buffer) {
  if (!answers_watched_ && waiting_answers_.take_answered())
    resume(pipe_role::report, buffer);
}

void child_process::flush_answers() {
  if (!answers_)
    return;
  while (!waiting_answers_.text().empty()) {
    const auto& text = waiting_answers_.text();
    auto count = ::write(answers_.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN) {
      if (!std::exchange(answers_watched_, true))
        watch_.add(answers_.get(), {id_, pipe_role::answer}, EPOLLOUT);
      if (waiting_answers_.is_first_unread())
        who_->answers_unread();
      return;
    }
    if (count < 0) { // The process has closed its end and takes no answers.
      waiting_answers_.clear();
      break;
    }
    waiting_answers_.took(static_cast<std::size_t>(count));
  }
  if (std::exchange(answers_watched_, false))
    watch_.remove(answers_.get());
  who_->answers_taken();
  if (waiting_answers_.is_last())
    close_answers();
}

void child_process::end_answers() {
  waiting_answers_.end();
  flush_answers();
}

void child_process::close_answers() {
  if (std::exchange(answers_watched_, false))
    watch_.remove(answers_.get());
  waiting_answers_.clear();
  answers_.reset();
}

void child_process::on_end_requested(std::span<char> buffer) {
  end_requested_ = true;
  changes_hands_ = false;
  for (auto role : {pipe_role::out, pipe_role::err, pipe_role::report})
    resume(role, buffer);
}

/// Everything the process printed before its report is in the pipes by then.
bool child_process::read_output(std::span<char> buffer) {
  for (auto role : {pipe_role::out, pipe_role::err}) {
    auto& from = inputs_[static_cast<std::size_t>(role)];
    // Another process may hold the write end and never stop writing.
    while (from.fd && from.drain_left > 0) {
      if (is_choked(from))
        return false;
      auto result = read_once(from, buffer);
      if (result == read_result::closed)
        close(from);
      if (result != read_result::some)
        break;
    }
  }
  return true;
}

expected<void> child_process::need_writer() {
  if (writer_)
    return {};
  auto found = means_.writers.of(order_.job);
  if (!found)
    return found.error();
  writer_ = std::move(*found);
  return {};
}

child_process::output child_process::open_file(const std::filesystem::path& path,
                                               std::uint64_t cap) const {
  if (path.empty())
    return {};
  auto moved = [tell = means_.tell_written, id = id_] { tell(id); };
  return {output_file_stream{writer_, {path, cap, means_.options.output, std::move(moved)}}};
}

/// @pre `writer_` is set if any file is named.
void child_process::open_files(const process_turn& where) {
  out_ = open_file(where.stdout_file, where.output_cap);
  err_ = open_file(where.stderr_file, where.output_cap);
}

void child_process::begin_use(std::shared_ptr<process_listener> who, const process_turn& how) {
  ++use_;
  who_ = std::move(who);
  changes_hands_ = false;
  for (auto& in : inputs_)
    in.drain_left = drain_limit;
  const auto has_files = !how.stdout_file.empty() || !how.stderr_file.empty();
  // The process is running already: if there is no thread for its files, `exit_info` says so.
  if (auto ready = has_files ? need_writer() : expected<void>{}; !ready) {
    out_ = {output_file_stream{ready.error().detail}};
    err_ = {};
  } else {
    open_files(how);
  }
  auto& reports = inputs_[static_cast<std::size_t>(pipe_role::report)];
  reports.lines = line_splitter{max_report_line_};
  reports.rest.clear();
  reports.held = false;
  watch(reports);
  waiting_answers_.begin_anew();
  who_->started(pid_);
}

bool child_process::begin_park(std::shared_ptr<process_listener> holder, std::span<char> buffer) {
  if (exit_ || end_requested_ || !answers_) {
    resume(pipe_role::report, buffer);
    return false;
  }
  holder_ = std::move(holder);
  return true;
}

void child_process::end_park(bool alone, std::span<char> buffer) {
  if (holder_ == nullptr || exit_ || end_requested_)
    return;
  if (!alone) { // The descendants belong to the trial and end with this process.
    holder_ = nullptr;
    close_answers();
    resume(pipe_role::report, buffer);
    return;
  }
  changes_hands_ = true;
  go_on_parking(buffer);
}

void child_process::go_on_parking(std::span<char> buffer) {
  if (!read_output(buffer) || !finish_files())
    return;
  exit_info so_far;
  describe_output(so_far);
  auto before = who_;
  begin_use(std::exchange(holder_, nullptr), {});
  before->parked(so_far);
}

void child_process::hand_on(const process_turn& how, std::shared_ptr<process_listener> who,
                            std::string_view line, std::span<char> buffer) {
  changes_hands_ = true;
  // Output between two trials is dropped: it goes into no file and never has to wait.
  static_cast<void>(read_output(buffer));
  begin_use(std::move(who), how);
  answer(line, buffer);
}

void child_process::on_exited(exit_info how, std::span<char> buffer) {
  how.requested = end_requested_;
  exit_ = std::move(how);
  changes_hands_ = false;
  remote_.clear();
  for (auto& in : inputs_) {
    if (std::exchange(in.watched, false))
      watch_.remove(in.fd.get());
  }
  close_answers();
  // Lift the hold under which the process was to be parked: nobody else would.
  if (std::exchange(holder_, nullptr) != nullptr)
    resume(pipe_role::report, buffer);
  drain(buffer);
}

void child_process::drain(std::span<char> buffer) {
  if (finished_)
    return;
  auto waiting = false;
  for (auto& in : inputs_) {
    while (in.fd && !in.held && !is_choked(in)) {
      if (in.drain_left == 0 || read_once(in, buffer) != read_result::some)
        close(in);
    }
    waiting = waiting || in.held || in.fd;
  }
  if (!waiting && finish_files())
    tell_exit();
}

void child_process::on_written(std::span<char> buffer) {
  if (exit_)
    return drain(buffer);
  if (changes_hands_)
    return go_on_parking(buffer);
  for (auto& in : inputs_)
    watch(in);
}

bool child_process::finish_files() {
  const auto err = err_.file.finish();
  const auto out = out_.file.finish();
  return err && out;
}

void child_process::give_up_files(const std::string& why) {
  for (auto& in : inputs_)
    close(in);
  err_.file.give_up(why);
  out_.file.give_up(why);
  tell_exit();
}

void child_process::describe_output(exit_info& how) const {
  const auto& err = err_.file.trouble();
  how.stderr_lines = err_.lines.telling_lines(first_line_count, last_line_count);
  how.stdout_lines = out_.lines.last_lines(last_line_count);
  how.output_trouble = err.empty() ? out_.file.trouble() : err;
}

void child_process::tell_exit() {
  finished_ = true;
  // What was killed may have cut a line within a number; shells tell so by 128 and the signal.
  const auto code = exit_->code.value_or(0);
  for (auto& in : inputs_)
    if (in.role != pipe_role::report && !exit_->signal && (code <= 128 || code > 128 + 64))
      finish_lines(in);
  describe_output(*exit_);
  who_->exited(*exit_);
}

} // namespace tune

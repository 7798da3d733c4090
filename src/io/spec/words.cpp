// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/words.hpp"

#include <algorithm>

namespace tune {

namespace {

/// Splits a text word by word.
class splitter {
public:
  splitter(std::string_view text, std::string_view separators)
      : text_{text}, separators_{separators} {}

  expected<std::vector<command_word>> run() {
    while (at_ < text_.size() && !failed_)
      step();
    if (failed_)
      return error{ec::bad_syntax, why_};
    finish_word();
    return std::move(words_);
  }

private:
  void step() {
    auto c = text_[at_];
    if (separators_.find(c) != separators_.npos) {
      finish_word();
      ++at_;
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '\\') {
      if (at_ + 1 == text_.size())
        return fail("a backslash at the end has nothing to quote");
      put(text_[at_ + 1], false);
      at_ += 2;
    } else {
      put(c, true);
      ++at_;
    }
  }

  void quoted(char quote) {
    auto begin = at_++;
    open_word(false);
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()
          && std::string_view{"\"\\$`"}.find(text_[at_ + 1]) != std::string_view::npos)
        ++at_;
      put(text_[at_++], false);
    }
    if (at_ == text_.size())
      return fail(std::string{"the quote "} + quote + " in column " + std::to_string(begin + 1)
                  + " is not closed");
    word_.bare_last = false;
    ++at_;
  }

  void open_word(bool bare) {
    if (!open_)
      word_.bare_first = bare;
    open_ = true;
  }

  void put(char c, bool bare) {
    open_word(bare);
    word_.text += c;
    word_.bare_last = bare;
  }

  void finish_word() {
    if (open_)
      words_.push_back(std::move(word_));
    word_ = {};
    open_ = false;
  }

  void fail(std::string why) {
    failed_ = true;
    why_ = std::move(why);
  }

  std::string_view text_;
  std::string_view separators_;
  std::size_t at_ = 0;
  std::vector<command_word> words_;
  command_word word_;
  bool open_ = false;
  bool failed_ = false;
  std::string why_;
};

bool needs_no_quotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || std::string_view{"_-./:=@%+"}.find(c) != std::string_view::npos;
}

} // namespace

expected<std::vector<command_word>> split_words(std::string_view text,
                                                std::string_view separators) {
  return splitter{text, separators}.run();
}

std::string quoted_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), needs_no_quotes))
    return std::string{word};
  std::string result = "'";
  for (auto c : word) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

} // namespace tune

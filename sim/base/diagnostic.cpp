#include "sim/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace stepsim {

void Diagnostics::error(SourceSpan where, std::string message, std::string help) {
  items_.push_back({Severity::error, std::move(where), std::move(message), std::move(help)});
}

void Diagnostics::warning(SourceSpan where, std::string message, std::string help) {
  items_.push_back({Severity::warning, std::move(where), std::move(message), std::move(help)});
}

bool Diagnostics::has_errors() const {
  return std::any_of(items_.begin(), items_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void Diagnostics::append(const Diagnostics& other) {
  const std::vector<Diagnostic> copy = other.items_;  // `other` may be this object
  items_.insert(items_.end(), copy.begin(), copy.end());
}

void Diagnostics::sort_by_place() {
  const auto place = [](const Diagnostic& d) { return std::tie(d.where.file, d.where.line, d.where.column); };
  std::stable_sort(items_.begin(), items_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
}

namespace {

constexpr std::size_t kWindow = 120;  // the most bytes of a source line that are shown
constexpr std::string_view kCut = "...";

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view line_of(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::size_t back_to_character(std::string_view line, std::size_t at) {
  const std::size_t lowest = at < 3 ? 0 : at - 3;  // a character has at most three continuation bytes
  while (at > lowest && at < line.size() && is_continuation_byte(line[at])) --at;
  return at;
}

/// The part [begin, end) of a line that is shown: all of a short line, else a window with the caret in the middle.
struct Window {
  std::size_t begin;
  std::size_t end;
};

Window window_around(std::string_view line, std::size_t caret) {
  if (line.size() <= kWindow) return {0, line.size()};
  std::size_t begin = caret < kWindow / 2 ? 0 : caret - kWindow / 2;
  begin = std::min(begin, line.size() - kWindow);
  return {back_to_character(line, begin), back_to_character(line, std::min(begin + kWindow, line.size()))};
}

/// Control characters would move the cursor or colour the terminal of whoever reads the message.
std::string without_control_characters(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) c = '?';
  }
  return shown;
}

/// Blanks as wide as `text`: a tab stays a tab, each UTF-8 character takes one place.
std::string blanks_under(std::string_view text) {
  std::string blanks;
  for (const char c : text) {
    if (!is_continuation_byte(c)) blanks += c == '\t' ? '\t' : ' ';
  }
  return blanks;
}

std::string underline(std::string_view marked) {
  const auto characters = static_cast<std::size_t>(
      std::count_if(marked.begin(), marked.end(), [](char c) { return !is_continuation_byte(c); }));
  return "^" + std::string(characters > 1 ? characters - 1 : 0, '~');
}

/// The source line and the caret under it. Columns count bytes, as the YAML reader does.
std::string excerpt(std::string_view line, const SourceSpan& where) {
  const std::size_t caret = std::min(static_cast<std::size_t>(std::max(where.column, 1) - 1), line.size());
  const Window shown = window_around(line, caret);
  const std::string_view head = shown.begin > 0 ? kCut : "";
  const std::string_view tail = shown.end < line.size() ? kCut : "";
  const std::string_view before = line.substr(shown.begin, caret - shown.begin);
  const auto length =
      std::min(static_cast<std::size_t>(std::max(where.length, 1)), shown.end - std::min(caret, shown.end));
  return fmt::format("{}{}{}\n{}{}{}\n", head,
                     without_control_characters(line.substr(shown.begin, shown.end - shown.begin)), tail,
                     std::string(head.size(), ' '), blanks_under(before), underline(line.substr(caret, length)));
}

std::string place_of(const SourceSpan& where) {
  if (where.file.empty() && where.line == 0) return "";
  if (where.line == 0) return where.file + ": ";
  if (where.column == 0) return fmt::format("{}:{}: ", where.file, where.line);
  return fmt::format("{}:{}:{}: ", where.file, where.line, where.column);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, std::string_view source_text) {
  const SourceSpan& where = diagnostic.where;
  const char* severity = diagnostic.severity == Severity::error ? "error" : "warning";
  std::string text = fmt::format("{}{}: {}\n", place_of(where), severity, diagnostic.message);
  const std::string_view line = where.line > 0 ? line_of(source_text, where.line) : std::string_view();
  if (!line.empty()) text += excerpt(line, where);
  if (!diagnostic.help.empty()) text += fmt::format("help: {}\n", diagnostic.help);
  return text;
}

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Letters to insert, delete, replace or swap with their neighbour to turn a into b (optimal string alignment;
/// Damerau 1964, without a second edit of a swapped pair). Upper and lower case count as equal.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = word.size() + 1;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (3 * (longer - shorter) > longer) continue;  // too far apart whatever the letters are
    const std::size_t distance = edit_distance(word, candidate);
    if (3 * distance > longer || distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace stepsim

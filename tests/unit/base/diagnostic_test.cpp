// Does a finding show the reader where it is and what would be right?
#include "sim/base/diagnostic.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

Diagnostic finding(SourceSpan where, std::string help = "") {
  return {Severity::error, std::move(where), "unknown key", std::move(help)};
}

TEST(Render, ShowsPlaceLineCaretAndHelp) {
  const std::string source = "title: x\nlayout:\n  pipelin: 4\n";
  EXPECT_EQ(render(finding({"a.yaml", 3, 3, 7}, "did you mean 'pp'?"), source),
            "a.yaml:3:3: error: unknown key\n"
            "  pipelin: 4\n"
            "  ^~~~~~~\n"
            "help: did you mean 'pp'?\n");
}

TEST(Render, WithoutALineSpeaksOfTheFile) {
  EXPECT_EQ(render(finding({"a.yaml", 0, 0, 1}), "x\n"), "a.yaml: error: unknown key\n");
  EXPECT_EQ(render(finding({}), ""), "error: unknown key\n");
  EXPECT_EQ(render({Severity::warning, {"a.yaml", 7, 2, 1}, "odd", ""}, ""), "a.yaml:7:2: warning: odd\n");
}

TEST(Render, LinePastTheEndIsNoCrash) {
  EXPECT_EQ(render(finding({"a", 9, 1, 1}), "one\ntwo"), "a:9:1: error: unknown key\n");
  EXPECT_EQ(render(finding({"a", 2, 99, 5}), "one\ntwo"), "a:2:99: error: unknown key\ntwo\n   ^\n");
}

TEST(Render, TabsBeforeTheCaretStayTabs) {
  EXPECT_EQ(render(finding({"a", 1, 3, 2}), "\t\tkv: 1\n"), "a:1:3: error: unknown key\n\t\tkv: 1\n\t\t^~\n");
}

TEST(Render, CarriageReturnIsNotShown) {
  EXPECT_EQ(render(finding({"a", 1, 1, 1}), "k: 1\r\n"), "a:1:1: error: unknown key\nk: 1\n^\n");
}

TEST(Render, Utf8CharactersTakeOnePlaceEach) {
  // "\u00e9\u00e9: k" : each e-acute has two bytes, so `k` is at byte column 7 and at the fifth place.
  EXPECT_EQ(render(finding({"a", 1, 7, 1}), "\u00e9\u00e9: k"), "a:1:7: error: unknown key\n\u00e9\u00e9: k\n    ^\n");
  EXPECT_EQ(render(finding({"a", 1, 1, 4}), "\u00e9\u00e9: k"), "a:1:1: error: unknown key\n\u00e9\u00e9: k\n^~\n");
}

TEST(Render, ControlCharactersDoNotReachTheTerminal) {
  const std::string text = render(finding({"a", 1, 1, 1}), "\x1b[31mred\x7f");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("?[31mred?"), std::string::npos);
}

TEST(Render, HugeLineIsCutToAWindowAroundTheCaret) {
  std::string line(10'000'000, 'x');
  line[5'000'000] = 'K';
  const std::string text = render(finding({"a", 1, 5'000'001, 1}), line);
  EXPECT_LT(text.size(), 400U);
  const std::size_t excerpt = text.find('\n') + 1;
  const std::size_t caret_line = text.find('\n', excerpt) + 1;
  EXPECT_EQ(text.substr(excerpt, 3), "...");
  EXPECT_EQ(text.find('K') - excerpt, text.find('^') - caret_line);
}

TEST(Render, LongUnderlineStaysInsideTheWindow) {
  const std::string line(1000, 'x');
  EXPECT_LT(render(finding({"a", 1, 1, 1000}), line).size(), 400U);
  EXPECT_LT(render(finding({"a", 1, 1000, 1}), line).size(), 400U);
  EXPECT_LT(render(finding({"a", 1, 2'000'000'000, 2'000'000'000}), line).size(), 400U);
}

TEST(Render, WindowDoesNotSplitACharacter) {
  std::string line;
  for (int i = 0; i < 500; ++i) line += "\u20ac";  // three bytes each
  for (const int column : {1, 301, 302, 303, 1499}) {
    const std::string text = render(finding({"a", 1, column, 1}), line);
    const std::size_t begin = text.find('\n') + 1;
    std::string shown = text.substr(begin, text.find('\n', begin) - begin);
    if (shown.starts_with("...")) shown.erase(0, 3);
    if (shown.ends_with("...")) shown.erase(shown.size() - 3);
    EXPECT_EQ(shown.size() % 3, 0U) << column;
    EXPECT_EQ(shown.substr(0, 3), "\u20ac") << column;
  }
}

TEST(Diagnostics, SortsByPlaceAndKeepsTheOrderOfEquals) {
  Diagnostics found;
  found.error({"b", 1, 1, 1}, "third");
  found.warning({"a", 2, 5, 1}, "first");
  found.error({"a", 2, 5, 1}, "second");
  found.sort_by_place();
  ASSERT_EQ(found.all().size(), 3U);
  EXPECT_EQ(found.all()[0].message, "first");
  EXPECT_EQ(found.all()[1].message, "second");
  EXPECT_EQ(found.all()[2].message, "third");
}

TEST(Diagnostics, WarningsAreNotErrors) {
  Diagnostics found;
  EXPECT_FALSE(found.has_errors());
  found.warning({}, "odd");
  EXPECT_FALSE(found.has_errors());
  Diagnostics more;
  more.error({}, "wrong");
  found.append(more);
  EXPECT_TRUE(found.has_errors());
  found.append(found);
  EXPECT_EQ(found.all().size(), 4U);
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> keys = {"pipeline", "micro_batch", "sequence_parallel", "overlap"};
  EXPECT_EQ(nearest("pipelin", keys), "pipeline");         // one missing
  EXPECT_EQ(nearest("mirco_batch", keys), "micro_batch");  // two swapped
  EXPECT_EQ(nearest("Overlap", keys), "overlap");          // case is free
  EXPECT_EQ(nearest("sequence-parallel", keys), "sequence_parallel");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("bandwidth", {"overlap", "dp"}), "");
  EXPECT_EQ(nearest("dp", {"tp", "cp"}), "");  // one of two letters is more than a third
  EXPECT_EQ(nearest("abc", {"abd"}), "abd");   // one of three is not
  EXPECT_EQ(nearest("abc", {}), "");
  EXPECT_EQ(nearest("", {"abc"}), "");
  EXPECT_EQ(nearest(std::string(10'000'000, 'x'), {"overlap"}), "");
}

TEST(Nearest, TakesTheFirstOfEquallyNear) { EXPECT_EQ(nearest("llama3-8c", {"llama3-8b", "llama3-8d"}), "llama3-8b"); }

}  // namespace
}  // namespace stepsim

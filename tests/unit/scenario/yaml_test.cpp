// The YAML layer: places of keys and values, and what yaml-cpp would have let pass.

#include "sim/scenario/yaml.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

YamlNode parse(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<YamlNode> node = parse_yaml(text, "f", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.all().front().message;
  return node ? *node : YamlNode{};
}

std::string first_problem(const std::string& text) {
  Diagnostics diagnostics;
  parse_yaml(text, "f", diagnostics);
  return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
}

TEST(Yaml, KeysAndValuesKnowTheirPlace) {
  const YamlNode root = parse("title: a b\nlayout:\n  tp: 8   # comment\n  order: [tp, \"dp\"]\n");
  const YamlEntry* layout = root.find("layout");
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->where.line, 2);
  EXPECT_EQ(layout->where.column, 1);
  EXPECT_EQ(layout->where.length, 6);
  const YamlEntry* tp = layout->value.find("tp");
  ASSERT_NE(tp, nullptr);
  EXPECT_EQ(tp->where.column, 3);
  EXPECT_EQ(tp->value.where.line, 3);
  EXPECT_EQ(tp->value.where.column, 7);
  EXPECT_EQ(tp->value.where.length, 1);
  const YamlNode& order = layout->value.find("order")->value;
  ASSERT_EQ(order.items.size(), 2u);
  EXPECT_EQ(order.items[1].text, "dp");
  EXPECT_EQ(order.items[1].where.column, 15);
  EXPECT_EQ(order.items[1].where.length, 4);  // quotes included
}

TEST(Yaml, ScalarsKeepTheirText) {
  const YamlNode root = parse("{a: 010, b: yes, c: 1e9, d: '', e: ~, f: null, g: \"~\", h: }");
  EXPECT_EQ(root.find("a")->value.text, "010");
  EXPECT_EQ(root.find("b")->value.text, "yes");
  EXPECT_EQ(root.find("c")->value.text, "1e9");
  EXPECT_TRUE(root.find("d")->value.is_scalar());
  EXPECT_EQ(root.find("e")->value.kind, YamlNode::Kind::null);
  EXPECT_EQ(root.find("f")->value.kind, YamlNode::Kind::null);
  EXPECT_TRUE(root.find("g")->value.is_scalar());
  EXPECT_EQ(root.find("h")->value.kind, YamlNode::Kind::null);
  EXPECT_EQ(root.find("none"), nullptr);
}

TEST(Yaml, DuplicatesOfNestedMapsAreAllReported) {
  Diagnostics diagnostics;
  parse_yaml("a: {x: 1, x: 2}\nb: [{y: 1, y: 2}]\na: 3\n", "f", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 3u);
}

TEST(Yaml, BracketsInsideQuotesAndCommentsDoNotNest) {
  const std::string brackets(1000, '[');
  EXPECT_EQ(first_problem("a: \"" + brackets + "\"\nb: '" + brackets + "'\nc: 1 # " + brackets + "\nd: it's\n"), "");
  EXPECT_EQ(first_problem("a: it's " + brackets + "\n"), "nested deeper than 32 levels");
}

TEST(Yaml, DepthLimitIsExact) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + "1" + std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(first_problem(nested(kMaxDepth)), "");
  EXPECT_EQ(first_problem(nested(kMaxDepth + 1)), "nested deeper than 32 levels");
}

TEST(Yaml, NonTextIsRefused) {
  EXPECT_NE(first_problem(std::string("a: 1\0b: 2", 9)).find("0x00"), std::string::npos);
  EXPECT_NE(first_problem("a: \x80").find("0x80"), std::string::npos);
  EXPECT_NE(first_problem("a: \xed").find("0xed"), std::string::npos);      // cut off
  EXPECT_NE(first_problem("a: \xc0\xaf").find("0xc0"), std::string::npos);  // overlong
  EXPECT_EQ(first_problem("a: caf\xc3\xa9\n"), "");
}

}  // namespace
}  // namespace stepsim

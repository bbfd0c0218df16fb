#include "sim/scenario/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "sim/scenario/text_file.h"

namespace stepsim {
namespace {

/// Ends the parse at the first thing that is refused.
struct Refused {
  SourceSpan where;
  std::string message;
  std::string help;
};

/// Builds the tree from yaml-cpp's events. (Its own Node keeps the first of two equal keys in silence, reads `010` as 8
/// and loses the place of missing values.)
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::string file) : text_(text), file_(std::move(file)) { open_.emplace_back(); }

  YamlNode take() { return std::move(open_.front().node.items.front()); }
  [[nodiscard]] bool empty() const { return open_.front().node.items.empty(); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(make(YamlNode::Kind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{span(mark, 1), "aliases (*name) are not supported", "write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.text = value;
    node.where.length = shown_length(value, mark);
    if (tag == "?" && (value == "~" || value == "null")) node.kind = YamlNode::Kind::null;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not been seen; for a map, the key that waits for its value.
  struct Open {
    YamlNode node;
    std::optional<YamlNode> key;
  };

  [[nodiscard]] SourceSpan span(const YAML::Mark& mark, int length) const {
    return {file_, mark.line + 1, mark.column + 1, length};
  }
  [[nodiscard]] YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.where = span(mark, 1);
    return node;
  }
  /// Characters to underline: the scalar as it stands in the file, to the end of its line at most.
  [[nodiscard]] int shown_length(const std::string& value, const YAML::Mark& mark) const {
    const std::size_t start = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    const std::string_view line = text_.substr(start, text_.substr(start).find_first_of("\r\n"));
    const bool quoted = !line.empty() && (line[0] == '"' || line[0] == '\'');
    return static_cast<int>(std::max<std::size_t>(std::min(value.size() + (quoted ? 2 : 0), line.size()), 1));
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor)
      throw Refused{span(mark, 1), "anchors (&name) are not supported", "write the value out where it is needed"};
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{span(mark, 1), fmt::format("tags are not supported (found {})", tag), "leave the tag out"};
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() > static_cast<std::size_t>(kMaxDepth))
      throw Refused{span(mark, 1), fmt::format("nested deeper than {} levels", kMaxDepth), ""};
    open_.push_back({make(kind, mark), std::nullopt});
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  void add(YamlNode node) {
    Open& parent = open_.back();
    if (parent.node.kind != YamlNode::Kind::map) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = checked_key(std::move(node));
    } else {
      if (node.kind == YamlNode::Kind::null)
        node.where = parent.key->where;  // nothing stands there; yaml-cpp marks what follows
      parent.node.entries.push_back({parent.key->text, parent.key->where, std::move(node)});
      parent.key.reset();
    }
  }
  static YamlNode checked_key(YamlNode key) {
    if (!key.is_scalar()) throw Refused{key.where, "a key must be plain text", ""};
    if (key.text == "<<") throw Refused{key.where, "merge keys (<<) are not supported", "write the keys out"};
    return key;
  }

  std::string_view text_;
  std::string file_;
  std::vector<Open> open_;
};

/// Reports every key that appears twice in one map, at its second place.
void refuse_duplicates(const YamlNode& node, Diagnostics& diagnostics) {
  std::map<std::string_view, int> line_of;
  for (const YamlEntry& entry : node.entries) {
    const auto [first, fresh] = line_of.emplace(entry.key, entry.where.line);
    if (!fresh)
      diagnostics.error(entry.where, fmt::format("duplicate key '{}'", entry.key),
                        fmt::format("it stands in line {} already", first->second));
    refuse_duplicates(entry.value, diagnostics);
  }
  for (const YamlNode& item : node.items) refuse_duplicates(item, diagnostics);
}

std::optional<YamlNode> build(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(text, file);
  if (!parser.HandleNextDocument(builder) || builder.empty()) {
    diagnostics.error({file, 1, 1, 1}, "the file holds nothing but comments");
    return std::nullopt;
  }
  YamlNode root = builder.take();
  TreeBuilder rest(text, file);
  if (parser.HandleNextDocument(rest)) {
    diagnostics.error(rest.empty() ? root.where : rest.take().where, "a second YAML document starts here",
                      "one file holds one scenario");
    return std::nullopt;
  }
  return root;
}

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  constexpr std::size_t kShown = 40;
  return node.text.size() <= kShown ? fmt::format("'{}'", node.text)
                                    : fmt::format("'{}…'", node.text.substr(0, kShown));
}

std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (!check_text(text, file, diagnostics)) return std::nullopt;
  try {
    std::optional<YamlNode> root = build(text, file, diagnostics);
    if (root) refuse_duplicates(*root, diagnostics);
    return root;
  } catch (const Refused& refused) {
    diagnostics.error(refused.where, refused.message, refused.help);
  } catch (const YAML::Exception& problem) {
    diagnostics.error({file, problem.mark.line + 1, problem.mark.column + 1, 1}, "not valid YAML: " + problem.msg);
  }
  return std::nullopt;
}

}  // namespace stepsim

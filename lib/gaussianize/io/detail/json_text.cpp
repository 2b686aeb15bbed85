#include "gaussianize/io/detail/json_text.hpp"

#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/strict_sax.hpp"

namespace gaussianize::detail {
namespace {

class ListSax final : public StrictSax {
 public:
  bool start_array(std::size_t) override { return std::exchange(begun_, true) ? refuse("nested") : true; }
  bool string(std::string& text) override {
    if (!begun_) return refuse("not a list");
    items.push_back(std::move(text));
    return true;
  }
  std::vector<std::string> items;

 private:
  bool begun_ = false;
};

class MapSax final : public StrictSax {
 public:
  bool start_object(std::size_t) override { return std::exchange(begun_, true) ? refuse("nested") : true; }
  bool key(std::string& text) override {
    key_ = std::move(text);
    return true;
  }
  bool string(std::string& text) override {
    if (!begun_) return refuse("not a map");
    return items.emplace(std::move(key_), std::move(text)).second || refuse("a key appears twice");
  }
  std::map<std::string, std::string> items;

 private:
  bool begun_ = false;
  std::string key_;
};

}  // namespace

std::string json_quote(const std::string& text, std::string_view what) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument(concat(what, " ", in_quotes(text), " is not UTF-8 text; convert it to UTF-8"));
  }
}

std::string json_list(const std::vector<std::string>& items, std::string_view what) {
  std::string text = "[";
  for (const std::string& item : items) text.append(text.size() > 1 ? "," : "").append(json_quote(item, what));
  return text + "]";
}

std::string json_map(const std::map<std::string, std::string>& items, std::string_view what) {
  std::string text = "{";
  for (const auto& [key, value] : items)
    text.append(text.size() > 1 ? "," : "").append(json_quote(key, what)).append(":").append(json_quote(value, what));
  return text + "}";
}

std::optional<std::vector<std::string>> parse_json_list(std::string_view text) {
  ListSax sax;
  if (!sax.accept(text)) return std::nullopt;
  return std::move(sax.items);
}

std::optional<std::map<std::string, std::string>> parse_json_map(std::string_view text) {
  MapSax sax;
  if (!sax.accept(text)) return std::nullopt;
  return std::move(sax.items);
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string text = "'";
  for (const char c : name.substr(0, longest)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return text + (name.size() > longest ? "…'" : "'");
}

}  // namespace gaussianize::detail

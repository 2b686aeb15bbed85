#include "gaussianize/io/column_selection.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/csv_lines.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t ambiguous = SIZE_MAX;

struct Item {
  std::string text;
  bool quoted = false;
};

/// Cuts at the commas outside quotes.
std::vector<Item> items_of(std::string_view list, const std::string& file) {
  std::vector<Item> items(1);
  bool inside = false, whole = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '"' && inside && i + 1 < list.size() && list[i + 1] == '"') {
      items.back().text += list[i++];
    } else if (c == '"') {
      inside = !inside;
      whole = whole && (!inside || trimmed(items.back().text).empty());
      if (inside) items.back() = {"", true};
    } else if (c == ',' && !inside) {
      items.emplace_back();
    } else if (inside || !items.back().quoted) {
      items.back().text += c;
    } else {
      whole = whole && (c == ' ' || c == '\t');
    }
  }
  require(whole, file, ": the list of columns ", in_quotes(list),
          " has text beside a quoted name; quote all of the name");
  require(!inside, file, ": the list of columns ", in_quotes(list), " has a quote that does not end; close it");
  for (Item& item : items)
    if (!item.quoted) item.text = trimmed(item.text);
  return items;
}

std::optional<std::size_t> index_of(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

/// Collects columns, each once.
class Selection {
 public:
  Selection(const std::vector<std::string>& names, std::size_t width, const std::string& file)
      : names_(names), file_(file), picked_(width) {
    for (std::size_t c = 0; c < names.size(); ++c)
      if (const auto [place, fresh] = by_name_.emplace(names[c], c); !fresh) place->second = ambiguous;
  }

  void add(const Item& item) {
    if (const auto found = by_name_.find(item.text); found != by_name_.end()) {
      require(found->second != ambiguous, file_, ": several columns are named ", in_quotes(item.text),
              "; pick by index, counted from 0");
      return pick(found->second, item);
    }
    if (!item.quoted && add_indices(item)) return;
    fail_unknown(item);
  }

  std::vector<std::size_t> columns;

 private:
  bool add_indices(const Item& item) {
    const std::string_view text = item.text;
    const std::size_t dash = text.find('-');
    const auto first = index_of(trimmed(text.substr(0, dash)));
    const auto last = dash == std::string_view::npos ? first : index_of(trimmed(text.substr(dash + 1)));
    if (!first || !last) return false;
    require(*first <= *last, file_, ": the range ", in_quotes(text), " runs backwards; write the smaller index first");
    require(*last < picked_.size(), file_, ": there is no column ", *last, "; the table has ", picked_.size(),
            " columns, counted from 0 to ", picked_.size() - 1);
    for (std::size_t column = *first; column <= *last; ++column) pick(column, item);
    return true;
  }

  void pick(std::size_t column, const Item& item) {
    require(!picked_[column], file_, ": ", in_quotes(item.text), " picks ", column_label(column, names_),
            " a second time; list each column once");
    picked_[column] = true;
    columns.push_back(column);
  }

  [[noreturn]] void fail_unknown(const Item& item) const {
    const std::string problem = concat(file_, ": there is no column ", in_quotes(item.text));
    if (names_.empty())
      throw std::invalid_argument(
          concat(problem, ": the table has no names; pick columns by index, 0 to ", picked_.size() - 1));
    std::string list;
    constexpr std::size_t most = 10;
    for (std::size_t c = 0; c < std::min(most, names_.size()); ++c)
      list.append(c > 0 ? ", " : "").append(in_quotes(names_[c]));
    throw UnknownColumn(concat(problem, "; there are ", list, names_.size() > most ? ", …" : ""), item.text, names_);
  }

  const std::vector<std::string>& names_;
  const std::string& file_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<bool> picked_;
};

}  // namespace

std::vector<std::size_t> select_columns(std::string_view list, const std::vector<std::string>& names, std::size_t width,
                                        const std::string& file) {
  Selection selection(names, width, file);
  if (trimmed(list).empty()) {
    for (std::size_t column = 0; column < width; ++column) selection.columns.push_back(column);
  } else {
    for (const Item& item : items_of(list, file)) selection.add(item);
  }
  return selection.columns;
}

std::string column_label(std::size_t column, const std::vector<std::string>& names) {
  if (names.empty()) return concat("column ", column, " (counted from 0)");
  return concat("column ", column, " (", in_quotes(names[column]), ")");
}

}  // namespace gaussianize

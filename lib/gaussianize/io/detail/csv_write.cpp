#include "gaussianize/io/detail/csv_write.hpp"

#include <charconv>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

void append_name(std::string& text, const std::string& name, char delimiter) {
  // A reader takes what looks like a byte-order mark at the start of a file for one.
  const bool plain = !name.empty() && name.find_first_of("\"\r\n \t") == std::string::npos &&
                     name.find(delimiter) == std::string::npos && !name.starts_with("\xEF\xBB\xBF");
  if (plain) {
    text += name;
    return;
  }
  text += '"';
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // whatever its sign
    return;
  }
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

std::string format_csv(const Table& table, char delimiter) {
  const std::size_t columns = table.values.n_cols;
  require(table.columns.empty() || table.columns.size() == columns, "a table of ", columns, " columns has ",
          table.columns.size(), " names; give none or one per column");
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    append_name(text, table.columns[c], delimiter);
    text += c + 1 < columns ? delimiter : '\n';
  }
  for (std::size_t i = 0; i < table.values.n_rows; ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      append_number(text, table.values(i, c));
      text += c + 1 < columns ? delimiter : '\n';
    }
  return text;
}

}  // namespace gaussianize::detail

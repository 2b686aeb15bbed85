#include "cli/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace gaussianize {
namespace {

/// Letters on the screen: UTF-8's continuation bytes are none.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], letters(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - letters(row[c]), ' ');
      line += c == 0 ? row[c] + space : "  " + space + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string scientific(double value, int digits) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(digits - 1) << value;
  return text.str();
}

std::string p_text(double p) {
  if (std::isnan(p)) return "–";
  return p < 0.001 ? "< 0.001" : fixed(p, 3);
}

std::string with_error(const Estimate& estimate, int digits) {
  if (std::isnan(estimate.value)) return "–";
  if (!std::isfinite(estimate.standard_error)) return fixed(estimate.value, digits);
  return fixed(estimate.value, digits) + " ± " + fixed(estimate.standard_error, digits);
}

}  // namespace gaussianize

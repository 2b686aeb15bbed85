#include "report/script.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;

std::string_view series_colour(std::size_t index) {
  static constexpr std::array colours{ink::blue, ink::vermilion, ink::green, ink::purple, ink::amber, ink::grey};
  return colours[index % colours.size()];
}

std::string quote(std::string_view text) {
  std::string result = "'";
  for (const char c : clean_text(text)) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string quote_tic(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return quote(doubled);
}

std::string plain(double value) {
  if (!std::isfinite(value)) return "NaN";
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6).ptr;
  return {buffer.data(), end};
}

Script& Script::data(std::string_view name, const arma::mat& rows) {
  line("$", name, " << END");
  for (arma::uword i = 0; i < rows.n_rows; ++i) {
    for (arma::uword j = 0; j < rows.n_cols; ++j) {
      if (j > 0) text_ += ' ';
      text_ += plain(rows(i, j));
    }
    text_ += '\n';
  }
  // An empty block would be no block at all.
  if (rows.n_rows == 0) text_ += "NaN NaN\n";
  return line("END");
}

Script& Script::panel(std::string_view title) {
  line("reset");
  line("set datafile missing 'NaN'");
  line("set format '%h'");
  line("set tics nomirror scale 0.4");
  line("set border 3 lw 0.8");
  line("set grid lw 0.5 lc rgb '", ink::faint, "' lt 1");
  line("set key noautotitle samplen 1.6 spacing 1.15");
  line("set tmargin ", title.empty() ? "0.8" : "1.9");
  if (!title.empty()) line("set title ", quote(title), " offset 0,-0.4");
  return *this;
}

Script& Script::palette() {
  line("set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', 5 '#1f9e89', ",
       "6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')");
  return line("unset colorbox");
}

Range central_range(const arma::vec& values, double share) {
  std::vector<double> sorted;
  for (const double v : values)
    if (std::isfinite(v)) sorted.push_back(v);
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  const double low = sorted[static_cast<std::size_t>(std::floor(last * (1 - share) / 2))];
  const double high = sorted[static_cast<std::size_t>(std::ceil(last * (1 + share) / 2))];
  // Half the values' size where all are one, so that the range is never empty whatever their scale.
  const double margin = high > low ? (high - low) / 10 : std::max(std::abs(low) / 2, 0.5);
  return {low - margin, high + margin};
}

arma::mat histogram(const arma::vec& values, const Range& range, std::size_t bins) {
  const double width = (range.high - range.low) / static_cast<double>(bins);
  arma::mat rows(bins + 1, 2, arma::fill::zeros);
  for (std::size_t b = 0; b <= bins; ++b) rows(b, 0) = range.low + width * static_cast<double>(b);
  for (const double v : values)
    if (v >= range.low && v < range.high)
      rows(std::min(static_cast<std::size_t>((v - range.low) / width), bins - 1), 1) +=
          100.0 / static_cast<double>(values.n_elem);
  rows(bins, 1) = rows(bins - 1, 1);
  return rows;
}

std::string range_text(const Range& range) {
  return concat("[", plain(range.low), ":", plain(range.high), "]");
}

std::string dots(std::string_view columns, const Range& x, double diameter, std::string_view colour) {
  // A line of length zero is not drawn; a thousandth of the axis cannot be seen.
  return concat(columns, ":(", plain((x.high - x.low) / 1000), "):(0) with vectors nohead lw ", plain(diameter),
                " lc rgb '", colour, "'");
}

Picture side_by_side(const std::vector<Picture>& pictures, int columns, std::string description) {
  require(!pictures.empty() && columns > 0, "side_by_side: no pictures");
  const int count = static_cast<int>(pictures.size()), across = std::min(columns, count);
  const int down = (count + across - 1) / across;
  Script script;
  script.line("set multiplot layout ", down, ",", across);
  std::string text = script.take();
  for (const Picture& picture : pictures) text += picture.script;
  return {text + "unset multiplot\n", across * pictures.front().width, down * pictures.front().height,
          std::move(description)};
}

}  // namespace gaussianize::report

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"

#include "report/picture.hpp"

namespace gaussianize::report {

/// Colours that are visible on white and on black and distinguishable by colour-blind readers: after Okabe and Ito, of
/// middle lightness. In gnuplot's form; '#AARRGGBB' has transparency AA.
namespace ink {
inline constexpr std::string_view blue = "#2f86c5";
inline constexpr std::string_view vermilion = "#d9622b";
inline constexpr std::string_view green = "#159a74";
inline constexpr std::string_view purple = "#b565a7";
inline constexpr std::string_view amber = "#c08a10";
inline constexpr std::string_view grey = "#8a9099";
inline constexpr std::string_view faint = "#b08a9099";  ///< grid lines
}  // namespace ink

/// The colour of the series with that index: blue, vermilion, green, purple, amber, grey, blue, …
std::string_view series_colour(std::size_t index);

/// Text as a gnuplot string in single quotes, in which gnuplot substitutes and runs nothing.
std::string quote(std::string_view text);

/// The same for a tic label, where gnuplot would take % for a format.
std::string quote_tic(std::string_view text);

/// A number for gnuplot, with six digits, independent of the locale; NaN where it is not finite.
std::string plain(double value);

/// A gnuplot script under construction.
class Script {
 public:
  /// One command, its parts joined.
  template <class... Parts>
  Script& line(const Parts&... parts) {
    text_ += detail::concat(parts...);
    text_ += '\n';
    return *this;
  }

  /// Embeds a table under the name `$name`, one row a line.
  Script& data(std::string_view name, const arma::mat& rows);

  /// Starts a panel: gnuplot's defaults but for thin axes and a faint grid.
  Script& panel(std::string_view title);

  /// Colours from dark to bright in which equal steps look equal, also to the colour-blind (viridis).
  Script& palette();

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// A range that holds the central share of the values (all of them for 1), widened by a tenth on both sides; never
/// empty. Values that are not finite do not count. Without any, [0, 1].
struct Range {
  double low = 0.0, high = 1.0;
};
Range central_range(const arma::vec& values, double share);

/// Left edge of each bin and the percentage of all values in it; values outside the range are in no bin. The last row
/// is the right edge of the last bin.
arma::mat histogram(const arma::vec& values, const Range& range, std::size_t bins);

/// "[low:high]"
std::string range_text(const Range& range);

/// The plot command's part for round points of that diameter in pixels. `columns` names data and columns:
/// "$points using 1:2"; `x` is the range of the horizontal axis. As gnuplot's own points the SVG would be three times
/// as large: these are short lines with round ends, all in one path.
std::string dots(std::string_view columns, const Range& x, double diameter, std::string_view colour);

/// Several single pictures in one, row by row, `columns` in a row; each keeps the size of the first.
Picture side_by_side(const std::vector<Picture>& pictures, int columns, std::string description);

}  // namespace gaussianize::report

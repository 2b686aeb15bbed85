#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "paper/run.hpp"
#include "report/page.hpp"
#include "report/picture.hpp"

namespace gaussianize::paper {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Whether the set's rows are images, whose loss is in bits per dimension.
bool is_image(const PaperSet& set);

/// The paper's figure for a set and a method of its table 1; NaN where it has none.
double paper_result(const PaperSet& set, std::string_view method);

/// RBIG as the paper ran it on this set: 5 layers, PCA, at most 50,000 rows for the kernels (20,000 for BSDS300, 10,000
/// for images).
RbigOptions paper_rbig(const PaperSet& set);

/// The paper's architecture for the set, with the epochs that the run's scale leaves of its 200.
GfOptions paper_gf(const Run& run, const PaperSet& set, const SetRows& rows);

/// Table 1 of the paper beside the run's own numbers: the columns of tables, or of images.
report::Section paper_table(const Run& run, bool images);

/// The training curves of all cells that have some.
report::Section training_section(const Run& run);

/// One line of a picture of curves.
struct CurveSeries {
  std::string name;
  std::vector<double> x, y;
};

/// Curves over one axis; the vertical axis spans what they hold after their first tenth.
report::Picture curves_picture(const std::string& title, const std::string& x_label, const std::string& y_label,
                               const std::vector<CurveSeries>& series);

}  // namespace gaussianize::paper

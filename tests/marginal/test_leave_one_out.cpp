#include <algorithm>
#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/marginal/kde.hpp"

#include "marginal/columns.hpp"
#include "marginal/direct.hpp"
#include "marginal/splines.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

TEST_CASE("leave_one_out_log_density is the log of the direct sum over the other rows") {
  for (const std::size_t n : {2UL, 10UL, 200UL, 2000UL})
    for (const NamedColumn& shape : column_shapes(n, 80 + n)) {
      const Column& x = shape.x;
      if (shape.name == "outlier above" || shape.name == "outlier below") continue;
      CAPTURE(n);
      CAPTURE(shape.name);
      const double h = select_bandwidth(x.data(), n, BandwidthRule::rule_of_thumb);
      const arma::vec fast = leave_one_out_log_density(kde_spline(x.data(), n, h), x.data(), n);
      const std::vector<double> direct = direct_leave_one_out(x, h);
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i) {
        // The row's own kernel, 1/(4h), is subtracted from a sum that has a relative error of 5e-4 at most: what the
        // others give is known to that share of the whole.
        const double others = std::max(std::exp(direct[i]) * static_cast<double>(n - 1), 5e-4 * 0.25 / h);
        const double error = std::abs(std::exp(fast[i]) * static_cast<double>(n - 1) - others);
        worst = std::max(worst, error / (others + 0.25 / h));
      }
      CHECK(worst < 5e-4);
    }
}

TEST_CASE("an isolated row counts as if the others gave it 5e-4 of its own kernel's height") {
  const Column x = with_first(normal_column(300, 81), 1e4);
  const double h = 0.2;
  const arma::vec fast = leave_one_out_log_density(kde_spline(x.data(), 300, h), x.data(), 300);
  CHECK(relative_error(fast[0], std::log(5e-4 * 0.25 / h / 299)) < 1e-14);
  CHECK(fast.is_finite());
}

TEST_CASE("blending does not matter") {
  const Column x = exponential_column(300, 82);
  const MonotoneSpline spline = kde_spline(x.data(), 300, 0.1);
  const arma::vec plain = leave_one_out_log_density(spline, x.data(), 300);
  const arma::vec blended = leave_one_out_log_density(blended_with(spline, 0.7, 1, 2), x.data(), 300);
  CHECK(same_bytes({plain.memptr(), 300}, {blended.memptr(), 300}));
}

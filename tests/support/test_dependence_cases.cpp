#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/math/normal.hpp"

#include "support/dependence_cases.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

constexpr std::size_t rows = 20'000;

template <class Cdf>
void check_distribution(const arma::vec& values, Cdf cdf) {
  CHECK(kolmogorov_statistic(std::vector<double>(values.begin(), values.end()), cdf) < 1.95);
}

void check_columns_normal(const arma::mat& x) {
  for (arma::uword d = 0; d < x.n_cols; ++d) check_distribution(x.col(d), normal_cdf);
}

double uniform_cdf(double u) {
  return std::min(1.0, std::max(0.0, u));
}

}  // namespace

TEST_CASE("dependence cases: names are unique, samples complete and reproducible") {
  std::set<std::string> names;
  for (const DependenceCase& dependence : dependence_cases()) {
    CAPTURE(dependence.name);
    CHECK(names.insert(dependence.name).second);
    CHECK(dependence.truth >= 0);
    const DependenceSample sample = dependence.draw(50, Seed{3});
    const bool has_y = dependence.quantity != DependenceQuantity::total_correlation;
    const bool has_z = dependence.quantity == DependenceQuantity::conditional_mutual_information;
    CHECK(sample.x.n_rows == 50);
    CHECK(sample.y.n_rows == (has_y ? 50 : 0));
    CHECK(sample.z.n_rows == (has_z ? 50 : 0));
    CHECK((sample.log_ratio.is_empty() || sample.log_ratio.n_elem == 50));
    for (const arma::mat* part : {&sample.x, &sample.y, &sample.z}) CHECK(part->is_finite());

    // Row i depends on the seed and on i alone.
    const DependenceSample longer = dependence.draw(60, Seed{3}), other = dependence.draw(50, Seed{4});
    CHECK(arma::approx_equal(longer.x.head_rows(50), sample.x, "absdiff", 0));
    CHECK(!arma::approx_equal(other.x, sample.x, "absdiff", 0));
    if (has_y) CHECK(arma::approx_equal(longer.y.head_rows(50), sample.y, "absdiff", 0));
    if (has_z) CHECK(arma::approx_equal(longer.z.head_rows(50), sample.z, "absdiff", 0));
  }
  CHECK_THROWS_AS(dependence_case("no such case"), std::out_of_range);
}

TEST_CASE("dependence cases: the mean log ratio of the rows is the truth") {
  std::size_t checked = 0;
  for (const DependenceCase& dependence : dependence_cases()) {
    CAPTURE(dependence.name);
    const arma::vec log_ratio = dependence.draw(rows, Seed{1}).log_ratio;
    if (log_ratio.is_empty()) continue;
    ++checked;
    const double standard_error = arma::stddev(log_ratio) / std::sqrt(static_cast<double>(rows));
    CAPTURE(standard_error);
    CHECK(std::abs(arma::mean(log_ratio) - dependence.truth) < 4 * standard_error + 1e-12);
  }
  CHECK(checked + 11 == dependence_cases().size());
}

TEST_CASE("dependence cases: truths by quadrature") {
  struct Value {
    const char* name;
    double truth, tolerance;
  };
  // The first five computed apart from the library, with other steps. The sine chains beyond two columns from the
  // estimated marginal entropies of 200,000 rows, less the closed form of the joint one.
  for (const Value& value : {Value{"two waves", 1.2917935149, 1e-6}, Value{"bimodal 1+1", 0.4940797842, 1e-6},
                             Value{"ring", 0.6739738806, 1e-6}, Value{"multiplicative noise", 0.4203413208, 1e-6},
                             Value{"sine chain D=2", 0.5295927945, 1e-6}, Value{"sine chain D=3", 1.0741, 0.01},
                             Value{"sine chain D=5", 2.1668, 0.01}, Value{"sine chain D=10", 4.8860, 0.01}}) {
    CAPTURE(value.name);
    CHECK(std::abs(dependence_case(value.name).truth - value.truth) < value.tolerance);
  }
}

TEST_CASE("dependence cases: marginal distributions") {
  for (const char* name : {"spiral 3+3", "spiral 5+5", "spiral 25+25", "normal dense 10+10", "sign product D=3",
                           "sign product of 3 in D=5", "sign product of all 5", "exclusive or", "exclusive or, x1; x2",
                           "exclusive or, (x1, x2); x3", "conditional chain"}) {
    CAPTURE(name);
    const DependenceSample sample = dependence_case(name).draw(rows, Seed{2});
    check_columns_normal(sample.x);
    check_columns_normal(sample.y);
    check_columns_normal(sample.z);
  }
  for (const char* name : {"checkerboard 4x4", "checkerboard 6x6"}) {
    CAPTURE(name);
    const arma::mat x = dependence_case(name).draw(rows, Seed{2}).x;
    for (const arma::uword d : {0, 1}) check_distribution(x.col(d), uniform_cdf);
  }
  check_distribution(dependence_case("swiss roll").draw(rows, Seed{2}).y, uniform_cdf);
  check_distribution(dependence_case("additive uniform noise").draw(rows, Seed{2}).x, uniform_cdf);
}

TEST_CASE("dependence cases: shapes") {
  const arma::mat roll = dependence_case("swiss roll").draw(rows, Seed{2}).x;
  const arma::vec t = 21 * arma::sqrt(arma::sum(arma::square(roll), 1));
  check_distribution(t, [](double v) { return uniform_cdf((v / (1.5 * std::numbers::pi) - 1) / 2); });

  const arma::mat ring = dependence_case("ring").draw(rows, Seed{2}).x;
  check_distribution(arma::sqrt(arma::sum(arma::square(ring), 1)), [](double r) { return normal_cdf((r - 2) / 0.2); });

  const arma::mat board = dependence_case("checkerboard 6x6").draw(rows, Seed{2}).x;
  const arma::mat square = arma::floor(6 * board);
  CHECK(arma::all(arma::sum(square, 1) - 2 * arma::floor(arma::sum(square, 1) / 2) == 0));

  const DependenceSample signs = dependence_case("exclusive or").draw(rows, Seed{2});
  CHECK(arma::all(arma::vectorise(signs.x % signs.y % signs.z) > 0));
  const arma::mat five = dependence_case("sign product of all 5").draw(rows, Seed{2}).x;
  CHECK(arma::all(arma::prod(five, 1) > 0));

  // A rotation keeps the norm.
  const DependenceSample bent = dependence_case("spiral 5+5").draw(rows, Seed{2});
  const DependenceSample straight = dependence_case("normal sparse 5+5").draw(rows, Seed{2});
  const arma::vec bent_norm = arma::sum(arma::square(bent.x), 1), norm = arma::sum(arma::square(straight.x), 1);
  CHECK(arma::approx_equal(bent_norm, norm, "reldiff", 1e-12));
  CHECK(!arma::approx_equal(bent.x, straight.x, "absdiff", 0.1));
}

#include "support/dependence_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::testing {
using namespace detail;
namespace {

using std::numbers::ln2, std::numbers::pi;

const double normal_entropy = 0.5 * std::log(2 * pi * std::numbers::e);

double square(double v) {
  return v * v;
}

/// Σ step·f over the multiples of `step` in (low, high): spectrally accurate for smooth f that vanishes at both ends.
template <class Function>
double trapezoid(double low, double high, double step, Function f) {
  double sum = 0;
  for (long k = std::lround(low / step); k <= std::lround(high / step); ++k) sum += f(static_cast<double>(k) * step);
  return sum * step;
}

double minus_p_log_p(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}

// --- rows -------------------------------------------------------------------------------------------------------

struct Widths {
  std::size_t x, y = 0, z = 0;
};

/// Fills one row, the columns of x first, then those of y and z; returns its log ratio.
using MakeRow = std::function<double(RandomStream& stream, double* row)>;

DependenceQuantity quantity_of(const Widths& widths) {
  if (widths.y == 0) return DependenceQuantity::total_correlation;
  return widths.z == 0 ? DependenceQuantity::mutual_information : DependenceQuantity::conditional_mutual_information;
}

DependenceCase by_rows(std::string name, double truth, Widths widths, MakeRow make_row) {
  auto draw = [widths, make_row = std::move(make_row)](std::size_t rows, Seed seed) {
    arma::mat transposed(widths.x + widths.y + widths.z, rows);
    arma::vec log_ratio(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      RandomStream stream(seed, Purpose::data, i);
      log_ratio[i] = make_row(stream, transposed.colptr(i));
    }
    const arma::mat all = transposed.t();
    DependenceSample sample{all.head_cols(widths.x), {}, {}, std::move(log_ratio)};
    if (widths.y > 0) sample.y = all.cols(widths.x, widths.x + widths.y - 1);
    if (widths.z > 0) sample.z = all.tail_cols(widths.z);
    return sample;
  };
  return {std::move(name), quantity_of(widths), truth, std::move(draw)};
}

std::string sized(const std::string& name, std::size_t columns) {
  return name + " D=" + std::to_string(columns);
}

std::string paired(const std::string& name, std::size_t columns) {
  return name + " " + std::to_string(columns) + "+" + std::to_string(columns);
}

double one_normal(RandomStream& stream) {
  double z = 0;
  fill_normal(stream, &z, 1);
  return z;
}

// --- normals, and normals that were bent ------------------------------------------------------------------------

/// log φ₂(a, b; ρ)/φ(a)φ(b).
double normal_log_ratio(double a, double b, double rho) {
  const double rest = 1 - rho * rho;
  return -0.5 * std::log(rest) - (rho * rho * (a * a + b * b) - 2 * rho * a * b) / (2 * rest);
}

/// A curve in two columns that holds one normal, beside another normal's probability.
DependenceCase swiss_roll() {
  constexpr double rho = 0.75;
  return by_rows("swiss roll", -0.5 * std::log(1 - rho * rho), {2, 1}, [](RandomStream& stream, double* row) {
    const double a = one_normal(stream), b = rho * a + std::sqrt(1 - rho * rho) * one_normal(stream);
    const double t = 1.5 * pi * (1 + 2 * normal_cdf(a));
    row[0] = t * std::cos(t) / 21;
    row[1] = t * std::sin(t) / 21;
    row[2] = normal_cdf(b);
    return normal_log_ratio(a, b, rho);
  });
}

/// Rotates columns k and k + 1 by the angle |v|²/D, which the rotation leaves as it is: a bijection.
void spiral(double* v, std::size_t columns, std::size_t k) {
  double norm = 0;
  for (std::size_t d = 0; d < columns; ++d) norm += v[d] * v[d];
  const double angle = norm / static_cast<double>(columns), c = std::cos(angle), s = std::sin(angle);
  const double first = v[k], second = v[k + 1];
  v[k] = c * first - s * second;
  v[k + 1] = s * first + c * second;
}

/// D + D normals, of which two pairs have correlation 0.8.
DependenceCase two_pairs(const std::string& name, std::size_t columns, bool bent) {
  constexpr double rho = 0.8;
  auto make_row = [columns, bent](RandomStream& stream, double* row) {
    fill_normal(stream, row, 2 * columns);
    double log_ratio = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      double& y = row[columns + d];
      y = rho * row[d] + std::sqrt(1 - rho * rho) * y;
      log_ratio += normal_log_ratio(row[d], y, rho);
    }
    if (bent) {
      spiral(row, columns, 0);
      spiral(row + columns, columns, 1);
    }
    return log_ratio;
  };
  return by_rows(paired(name, columns), -std::log(1 - rho * rho), {columns, columns}, make_row);
}

/// log density, less its powers of 2π, of n normals with every correlation ρ: the matrix's eigenvalues are 1 − ρ and,
/// for (1, …, 1), 1 + (n − 1)ρ.
double dense_log_density(const double* v, std::size_t n, double rho) {
  const double size = static_cast<double>(n), top = 1 + (size - 1) * rho;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += v[i];
    squares += v[i] * v[i];
  }
  const double log_determinant = (size - 1) * std::log(1 - rho) + std::log(top);
  return -0.5 * (log_determinant + (squares - rho * sum * sum / top) / (1 - rho));
}

DependenceCase normal_dense(std::size_t columns, double rho) {
  const double n = static_cast<double>(columns);
  // −½ log det R(2n) + log det R(n), where log det R(n) = (n − 1) log(1 − ρ) + log(1 + (n − 1)ρ).
  const double truth = -0.5 * (std::log(1 - rho) + std::log(1 + (2 * n - 1) * rho)) + std::log(1 + (n - 1) * rho);
  return by_rows(paired("normal dense", columns), truth, {columns, columns},
                 [columns, rho](RandomStream& stream, double* row) {
                   const double common = std::sqrt(rho) * one_normal(stream);
                   fill_normal(stream, row, 2 * columns);
                   for (std::size_t d = 0; d < 2 * columns; ++d) row[d] = common + std::sqrt(1 - rho) * row[d];
                   return dense_log_density(row, 2 * columns, rho) - dense_log_density(row, columns, rho) -
                          dense_log_density(row + columns, columns, rho);
                 });
}

DependenceCase independent(Widths widths) {
  const std::size_t columns = widths.x + widths.y;
  return by_rows(widths.y > 0 ? paired("independent", widths.x) : sized("independent", columns), 0, widths,
                 [columns](RandomStream& stream, double* row) {
                   fill_normal(stream, row, columns);
                   return 0.0;
                 });
}

// --- spherical Student-t ----------------------------------------------------------------------------------------

double student_log_density(const double* v, std::size_t columns, double freedom) {
  const double half = static_cast<double>(columns) / 2;
  double squares = 0;
  for (std::size_t d = 0; d < columns; ++d) squares += v[d] * v[d];
  return boost::math::lgamma(freedom / 2 + half) - boost::math::lgamma(freedom / 2) - half * std::log(freedom * pi) -
         (freedom / 2 + half) * std::log1p(squares / freedom);
}

double student_entropy(std::size_t columns, double freedom) {
  using boost::math::digamma, boost::math::lgamma;
  const double half = static_cast<double>(columns) / 2, top = freedom / 2 + half;
  return lgamma(freedom / 2) - lgamma(top) + half * std::log(freedom * pi) +
         top * (digamma(top) - digamma(freedom / 2));
}

DependenceCase student(std::size_t columns, std::size_t degrees) {
  const auto freedom = static_cast<double>(degrees);
  const double truth = 2 * student_entropy(columns, freedom) - student_entropy(2 * columns, freedom);
  return by_rows(paired("student-t", columns) + " nu=" + std::to_string(degrees), truth, {columns, columns},
                 [columns, degrees, freedom](RandomStream& stream, double* row) {
                   double chi = 0;
                   for (std::size_t k = 0; k < degrees; ++k) chi += square(one_normal(stream));
                   fill_normal(stream, row, 2 * columns);
                   for (std::size_t d = 0; d < 2 * columns; ++d) row[d] /= std::sqrt(chi / freedom);
                   return student_log_density(row, 2 * columns, freedom) - student_log_density(row, columns, freedom) -
                          student_log_density(row + columns, columns, freedom);
                 });
}

// --- mixtures of normals in 1 + 1 columns -----------------------------------------------------------------------

/// One of equally likely components.
struct Component {
  double mean_x, mean_y, sd_x, sd_y, rho;
};

struct Densities {
  double joint = 0, x = 0, y = 0;
};

Densities densities(const std::vector<Component>& mixture, double x, double y) {
  const double weight = 1 / static_cast<double>(mixture.size());
  Densities p;
  for (const Component& c : mixture) {
    const double a = (x - c.mean_x) / c.sd_x, b = (y - c.mean_y) / c.sd_y;
    const double rest = std::sqrt(1 - c.rho * c.rho);
    p.x += weight * normal_pdf(a) / c.sd_x;
    p.y += weight * normal_pdf(b) / c.sd_y;
    p.joint += weight * normal_pdf(a) * normal_pdf((b - c.rho * a) / rest) / (c.sd_x * c.sd_y * rest);
  }
  return p;
}

/// ∫∫ p log(p/p_x p_y) by the trapezoidal rule.
double mixture_information(const std::vector<Component>& mixture) {
  std::array<double, 2> x{HUGE_VAL, -HUGE_VAL}, y = x;
  double finest_x = HUGE_VAL, finest_y = HUGE_VAL;
  for (const Component& c : mixture) {
    x = {std::min(x[0], c.mean_x - 9 * c.sd_x), std::max(x[1], c.mean_x + 9 * c.sd_x)};
    y = {std::min(y[0], c.mean_y - 9 * c.sd_y), std::max(y[1], c.mean_y + 9 * c.sd_y)};
    finest_x = std::min(finest_x, c.sd_x);
    finest_y = std::min(finest_y, c.sd_y);
  }
  return trapezoid(x[0], x[1], 0.4 * finest_x, [&](double u) {
    return trapezoid(y[0], y[1], 0.4 * finest_y, [&](double v) {
      const Densities p = densities(mixture, u, v);
      return p.joint > 0 ? p.joint * std::log(p.joint / (p.x * p.y)) : 0;
    });
  });
}

DependenceCase mixture_case(std::string name, const std::vector<Component>& mixture) {
  return by_rows(std::move(name), mixture_information(mixture), {1, 1}, [mixture](RandomStream& stream, double* row) {
    const Component& c = mixture[stream.below(mixture.size())];
    const double a = one_normal(stream), b = c.rho * a + std::sqrt(1 - c.rho * c.rho) * one_normal(stream);
    row[0] = c.mean_x + c.sd_x * a;
    row[1] = c.mean_y + c.sd_y * b;
    const Densities p = densities(mixture, row[0], row[1]);
    return std::log(p.joint / (p.x * p.y));
  });
}

DependenceCase two_waves() {
  std::vector<Component> mixture;
  for (int k = 0; k < 12; ++k)
    for (const double side : {-3.0, 3.0}) mixture.push_back({1.0 * k, side * std::sin(2 * pi * k / 11), 0.28, 0.2, 0});
  return mixture_case("two waves", mixture);
}

// --- signs and squares ------------------------------------------------------------------------------------------

/// Standard normals, `signs` of them conditioned on the product of their signs being positive: the density is doubled
/// on half of the space, and any fewer columns are independent.
MakeRow sign_product(std::size_t columns, std::size_t signs, double log_ratio) {
  return [=](RandomStream& stream, double* row) {
    fill_normal(stream, row, columns);
    bool negative = false;
    for (std::size_t d = 0; d < signs; ++d) negative ^= row[d] < 0;
    if (negative) row[signs - 1] = -row[signs - 1];
    return log_ratio;
  };
}

double first_two_of_sign_product(RandomStream& stream, double* row) {
  static const MakeRow make_all = sign_product(3, 3, 0);
  std::array<double, 3> all{};
  const double log_ratio = make_all(stream, all.data());
  std::copy_n(all.begin(), 2, row);
  return log_ratio;
}

/// Uniform on the black squares of a k × k board, k even: both columns are uniform, and the density is 2.
DependenceCase checkerboard(std::uint64_t k) {
  const std::string side = std::to_string(k);
  return by_rows("checkerboard " + side + "x" + side, ln2, {2}, [k](RandomStream& stream, double* row) {
    const std::uint64_t column = stream.below(k), line = 2 * stream.below(k / 2) + column % 2;
    row[0] = (static_cast<double>(column) + stream.uniform()) / static_cast<double>(k);
    row[1] = (static_cast<double>(line) + stream.uniform()) / static_cast<double>(k);
    return ln2;
  });
}

// --- ring, product and sum --------------------------------------------------------------------------------------

constexpr double ring_radius = 2, ring_width = 0.2;

/// The density at distance r from the centre.
double ring_density(double r) {
  return r > 0 ? normal_pdf((r - ring_radius) / ring_width) / (ring_width * 2 * pi * r) : 0;
}

double ring_marginal(double x) {
  return trapezoid(-4, 4, 0.04, [x](double y) { return ring_density(std::hypot(x, y)); });
}

/// A radius below 0, ten standard deviations from its mean, does not occur.
DependenceCase ring() {
  // h(x, y) = h(radius) + log 2π + E log radius.
  const double mean_log = trapezoid(
      0.02, 4, 0.02, [](double r) { return normal_pdf((r - ring_radius) / ring_width) / ring_width * std::log(r); });
  const double joint = normal_entropy + std::log(ring_width) + std::log(2 * pi) + mean_log;
  const double marginal = trapezoid(-4, 4, 0.02, [](double x) { return minus_p_log_p(ring_marginal(x)); });
  return by_rows("ring", 2 * marginal - joint, {2}, [](RandomStream& stream, double* row) {
    const double r = ring_radius + ring_width * one_normal(stream), angle = 2 * pi * stream.uniform();
    row[0] = r * std::cos(angle);
    row[1] = r * std::sin(angle);
    return std::log(ring_density(r) / (ring_marginal(row[0]) * ring_marginal(row[1])));
  });
}

/// y = x·e, whose density is K₀(|y|)/π.
DependenceCase multiplicative_noise() {
  // h(y) = log π − (2/π) ∫ K₀ log K₀ over y = e^t > 0, and h(y | x) = h(e) + E log|x|.
  const double integral = trapezoid(-40, 6.5, 0.05, [](double t) {
    const double y = std::exp(t);
    return -y * minus_p_log_p(boost::math::cyl_bessel_k(0, y));
  });
  const double truth = std::log(pi) - 2 / pi * integral - normal_entropy + 0.5 * (std::numbers::egamma + ln2);
  return by_rows("multiplicative noise", truth, {1, 1}, [](RandomStream& stream, double* row) {
    row[0] = one_normal(stream);
    const double e = one_normal(stream);
    row[1] = row[0] * e;
    return log_normal_pdf(e) - std::log(std::abs(row[0])) -
           std::log(boost::math::cyl_bessel_k(0, std::abs(row[1])) / pi);
  });
}

/// x uniform on (0, 1), y = x + εv, v uniform on (−1, 1), ε ≤ ½: y has density 1 in the middle and two ramps of width
/// 2ε, so that h(y) = ε, and h(y | x) = log 2ε.
DependenceCase additive_uniform_noise() {
  constexpr double epsilon = 0.25;
  return by_rows("additive uniform noise", epsilon - std::log(2 * epsilon), {1, 1},
                 [](RandomStream& stream, double* row) {
                   row[0] = stream.uniform();
                   row[1] = row[0] + epsilon * (2 * stream.uniform() - 1);
                   const double inside = std::min(row[1], 1 - row[1]) + epsilon;
                   return -std::log(2 * epsilon) - std::log(std::min(1.0, inside / (2 * epsilon)));
                 });
}

// --- given z ----------------------------------------------------------------------------------------------------

DependenceCase conditional_chain() {
  return by_rows("conditional chain", 0, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    row[2] = 0.8 * row[0] + 0.6 * row[2];
    row[1] = 0.8 * row[2] + 0.6 * row[1];
    return 0.0;
  });
}

/// x = z²/2 + e, y = sin 2z + ½x + ½f: given z, normal with correlation √½.
DependenceCase conditional_nonlinear() {
  return by_rows("conditional nonlinear", 0.5 * ln2, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    const double z = row[2], e = row[0], y_noise = 0.5 * e + 0.5 * row[1];
    row[0] = z * z / 2 + e;
    row[1] = std::sin(2 * z) + z * z / 4 + y_noise;
    return normal_log_ratio(e, std::numbers::sqrt2 * y_noise, std::numbers::sqrt2 / 2);
  });
}

/// x and y are two noisy functions of z and nothing else.
DependenceCase conditional_common_cause() {
  return by_rows("conditional common cause", 0, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    row[0] = std::cos(2 * row[2]) + 0.5 * row[0];
    row[1] = std::sin(2 * row[2]) + 0.5 * row[1];
    return 0.0;
  });
}

// --- distributions of the library -------------------------------------------------------------------------------

/// The marginal densities of the sine chain, before any column is exponentiated: p₀ = φ and
/// p_{i+1}(x) = ∫ p_i(u) N(x; sin 2u, ¼) du, by the trapezoidal rule.
class SineChain {
 public:
  explicit SineChain(std::size_t columns) : density_(points, columns) {
    for (std::size_t k = 0; k < points; ++k) density_(k, 0) = normal_pdf(node(k));
    for (std::size_t i = 1; i < columns; ++i)
      for (std::size_t k = 0; k < points; ++k) density_(k, i) = marginal(i, node(k));
  }

  static double log_step(double from, double to) { return log_normal_pdf(2 * (to - std::sin(2 * from))) + ln2; }

  /// p_i(x), i > 0.
  double marginal(std::size_t i, double x) const {
    double sum = 0;
    for (std::size_t k = 0; k < points; ++k) {
      const double p = density_(k, i - 1);
      if (p > 1e-20) sum += p * std::exp(log_step(node(k), x));
    }
    return sum * step;
  }

  double total_correlation() const {
    double sum = -true_entropy(KnownDistribution::sine_chain, density_.n_cols);
    for (const double p : density_) sum += step * minus_p_log_p(p);
    return sum;
  }

 private:
  static constexpr std::size_t points = 321;
  static constexpr double step = 0.05;
  static double node(std::size_t k) { return step * (static_cast<double>(k) - 160); }

  arma::mat density_;  ///< of the nodes, by column
};

DependenceCase sine_chain(std::size_t columns) {
  const auto chain = std::make_shared<const SineChain>(columns);
  return {sized("sine chain", columns), DependenceQuantity::total_correlation, chain->total_correlation(),
          [columns, chain](std::size_t rows, Seed seed) {
            DependenceSample sample;
            sample.x = draw(KnownDistribution::sine_chain, rows, columns, seed).x;
            arma::mat chained = sample.x;
            for (std::size_t d = 1; d < columns; d += 2) chained.col(d) = arma::log(chained.col(d));
            sample.log_ratio.zeros(rows);
            for (std::size_t d = 1; d < columns; ++d)
              for (std::size_t i = 0; i < rows; ++i)
                sample.log_ratio[i] +=
                    SineChain::log_step(chained(i, d - 1), chained(i, d)) - std::log(chain->marginal(d, chained(i, d)));
            return sample;
          }};
}

double (*log_marginal(KnownDistribution kind))(double) {
  switch (kind) {
    case KnownDistribution::gaussian:
      return log_normal_pdf;
    case KnownDistribution::student_t:
    case KnownDistribution::student_t_ar1:
      return [](double x) { return student_log_density(&x, 1, student_t_freedom); };
    case KnownDistribution::gaussian_mixture:
      return [](double x) { return std::log(0.5 * (normal_pdf(x - 1) + normal_pdf(x + 1))); };
    default:
      return nullptr;
  }
}

DependenceCase known(const std::string& name, KnownDistribution kind, std::size_t columns) {
  return {sized(name, columns), DependenceQuantity::total_correlation, true_total_correlation(kind, columns).value(),
          [kind, columns](std::size_t rows, Seed seed) {
            KnownSample drawn = draw(kind, rows, columns, seed);
            DependenceSample sample;
            sample.x = std::move(drawn.x);
            const auto log_density = log_marginal(kind);
            if (!log_density) return sample;
            sample.log_ratio = std::move(drawn.log_density);
            for (std::size_t d = 0; d < columns; ++d)
              for (std::size_t i = 0; i < rows; ++i) sample.log_ratio[i] -= log_density(sample.x(i, d));
            return sample;
          }};
}

void add_known(std::vector<DependenceCase>& cases) {
  for (const std::size_t d : {2, 3, 5, 10}) cases.push_back(sine_chain(d));
  for (const std::size_t d : {2, 3, 5, 10}) {
    cases.push_back(known("rotated uniform", KnownDistribution::rotated_uniform, d));
    cases.push_back(known("rotated Laplace", KnownDistribution::laplace_mix, d));
  }
  for (const std::size_t d : {2, 3, 10}) {
    cases.push_back(known("gaussian AR(1)", KnownDistribution::gaussian, d));
    cases.push_back(known("gaussian copula", KnownDistribution::gaussian_copula, d));
    cases.push_back(known("student-t", KnownDistribution::student_t, d));
    cases.push_back(known("student-t AR(1)", KnownDistribution::student_t_ar1, d));
    cases.push_back(known("gaussian mixture", KnownDistribution::gaussian_mixture, d));
  }
}

std::vector<DependenceCase> all_cases() {
  std::vector<DependenceCase> cases{
      swiss_roll(),
      two_pairs("spiral", 3, true),
      two_pairs("spiral", 5, true),
      two_pairs("spiral", 25, true),
      two_pairs("normal sparse", 5, false),
      two_pairs("normal sparse", 25, false),
      normal_dense(10, 0.5),
      two_waves(),
      mixture_case("bimodal 1+1", {{-1.5, 0.5, 1.0, 0.7, 0.8}, {1.5, -0.5, 0.6, 1.2, -0.6}}),
      by_rows("sign product D=3", ln2, {3}, sign_product(3, 3, ln2)),
      by_rows("sign product of 3 in D=5", ln2, {5}, sign_product(5, 3, ln2)),
      by_rows("sign product of all 5", ln2, {5}, sign_product(5, 5, ln2)),
      by_rows("exclusive or", ln2, {1, 1, 1}, sign_product(3, 3, ln2)),
      by_rows("exclusive or, x1; x2", 0, {1, 1}, first_two_of_sign_product),
      by_rows("exclusive or, (x1, x2); x3", ln2, {2, 1}, sign_product(3, 3, ln2)),
      checkerboard(4),
      checkerboard(6),
      ring(),
      multiplicative_noise(),
      additive_uniform_noise(),
      student(2, 3),
      student(5, 2),
      conditional_chain(),
      conditional_nonlinear(),
      conditional_common_cause(),
      independent({2}),
      independent({5}),
      independent({10}),
      independent({3, 3}),
  };
  add_known(cases);
  return cases;
}

}  // namespace

const std::vector<DependenceCase>& dependence_cases() {
  static const std::vector<DependenceCase> cases = all_cases();
  return cases;
}

const DependenceCase& dependence_case(std::string_view name) {
  for (const DependenceCase& dependence : dependence_cases())
    if (dependence.name == name) return dependence;
  throw std::out_of_range("dependence_case: there is no " + std::string(name));
}

Measure measure(const DependenceCase& dependence, const DependenceSample& sample, const MeasureOptions& options) {
  switch (dependence.quantity) {
    case DependenceQuantity::total_correlation:
      return total_correlation(sample.x, options);
    case DependenceQuantity::mutual_information:
      return mutual_information(sample.x, sample.y, options);
    case DependenceQuantity::conditional_mutual_information:
      return conditional_mutual_information(sample.x, sample.y, sample.z, options);
  }
  throw std::logic_error("measure: no such quantity");
}

}  // namespace gaussianize::testing

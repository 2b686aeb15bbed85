#include "gaussianize/info/detail/pair_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// Bandwidths in units of the columns' standard deviation. The narrowest spans one step of the grid.
constexpr double bandwidths[] = {0.03, 0.06, 0.12, 0.24, 0.48};
constexpr double grid_step = 0.03;
/// The normal density's least share: no cell is empty, so no row is impossible.
constexpr double min_normal_weight = 1e-3;

struct Grid {
  double half_width = 0.0, step = grid_step;
  arma::uword nodes = 0;

  explicit Grid(double largest) {
    constexpr double margin = 0.3;
    half_width = step * std::ceil((largest + margin) / step);
    nodes = static_cast<arma::uword>(std::lround(2 * half_width / step)) + 1;
  }
  double node(arma::uword i) const { return static_cast<double>(i) * step - half_width; }
};

/// The cell that a value is in, and how far along, in [0, 1].
struct Cell {
  arma::uword index;
  double share;
};

Cell cell_of(double value, double half_width, double step, arma::uword nodes) {
  const double at = std::clamp((value + half_width) / step, 0.0, static_cast<double>(nodes - 1));
  const auto index = std::min(static_cast<arma::uword>(at), nodes - 2);
  return {index, at - static_cast<double>(index)};
}

/// Rows as mass at the nodes, shared between the four corners of their cell: row j is b, column i is a.
arma::mat masses(const arma::vec& a, const arma::vec& b, const arma::uvec& rows, const Grid& grid) {
  arma::mat mass(grid.nodes, grid.nodes, arma::fill::zeros);
  const double each = 1 / (static_cast<double>(rows.n_elem) * grid.step * grid.step);
  for (const arma::uword row : rows) {
    const Cell x = cell_of(a[row], grid.half_width, grid.step, grid.nodes);
    const Cell y = cell_of(b[row], grid.half_width, grid.step, grid.nodes);
    mass(y.index, x.index) += each * (1 - x.share) * (1 - y.share);
    mass(y.index, x.index + 1) += each * x.share * (1 - y.share);
    mass(y.index + 1, x.index) += each * (1 - x.share) * y.share;
    mass(y.index + 1, x.index + 1) += each * x.share * y.share;
  }
  return mass;
}

std::vector<double> gaussian_taps(double bandwidth, double step) {
  constexpr double reach = 4.0;
  const auto radius = static_cast<int>(std::ceil(reach * bandwidth / step));
  std::vector<double> taps(2 * static_cast<std::size_t>(radius) + 1);
  double sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += taps[static_cast<std::size_t>(k + radius)] = normal_pdf(static_cast<double>(k) * step / bandwidth);
  for (double& tap : taps) tap /= sum;
  return taps;
}

/// Every column smoothed; what leaves the grid is lost.
arma::mat smoothed_columns(const arma::mat& mass, const std::vector<double>& taps) {
  const auto radius = static_cast<arma::sword>(taps.size() / 2), nodes = static_cast<arma::sword>(mass.n_rows);
  arma::mat result(arma::size(mass), arma::fill::zeros);
  for (arma::uword c = 0; c < mass.n_cols; ++c) {
    const double* const from = mass.colptr(c);
    double* const to = result.colptr(c);
    for (arma::sword j = 0; j < nodes; ++j) {
      if (from[j] == 0) continue;
      const arma::sword low = std::max<arma::sword>(0, j - radius), high = std::min(nodes - 1, j + radius);
      const double* const tap = taps.data() + (low - j + radius);
      for (arma::sword k = low; k <= high; ++k) to[k] += from[j] * tap[k - low];
    }
  }
  return result;
}

arma::mat kernel_estimate(const arma::mat& mass, double bandwidth, double step) {
  const std::vector<double> taps = gaussian_taps(bandwidth, step);
  const arma::mat across = smoothed_columns(mass, taps).t();
  return smoothed_columns(across, taps).t();
}

/// The bivariate normal density at the nodes.
arma::mat normal_estimate(double correlation, const Grid& grid) {
  const double square = 1 - correlation * correlation;
  const double constant = 1 / (2 * std::numbers::pi * std::sqrt(square));
  arma::mat density(grid.nodes, grid.nodes);
  for (arma::uword i = 0; i < grid.nodes; ++i)
    for (arma::uword j = 0; j < grid.nodes; ++j) {
      const double x = grid.node(i), y = grid.node(j);
      density(j, i) = constant * std::exp(-0.5 * (x * x - 2 * correlation * x * y + y * y) / square);
    }
  return density;
}

/// The bandwidths' estimates and the normal one, of the given rows.
std::vector<arma::mat> estimates(const arma::vec& a, const arma::vec& b, const arma::uvec& rows, const Grid& grid) {
  constexpr double max_correlation = 0.9999;
  const arma::mat mass = masses(a, b, rows, grid);
  std::vector<arma::mat> all;
  for (const double bandwidth : bandwidths) all.push_back(kernel_estimate(mass, bandwidth, grid.step));
  const arma::vec x = a.elem(rows), y = b.elem(rows);
  const double correlation = arma::dot(x, y) / std::sqrt(arma::dot(x, x) * arma::dot(y, y));
  all.push_back(normal_estimate(std::clamp(correlation, -max_correlation, max_correlation), grid));
  return all;
}

double interpolated(const arma::mat& density, const Cell& x, const Cell& y) {
  const double left = (1 - y.share) * density(y.index, x.index) + y.share * density(y.index + 1, x.index);
  const double right = (1 - y.share) * density(y.index, x.index + 1) + y.share * density(y.index + 1, x.index + 1);
  return (1 - x.share) * left + x.share * right;
}

/// The mixture's weights of largest likelihood on the given rows.
arma::vec best_weights(const std::vector<arma::mat>& all, const arma::vec& a, const arma::vec& b,
                       const arma::uvec& rows, const Grid& grid) {
  constexpr int steps = 60;
  arma::mat density(all.size(), rows.n_elem);
  for (arma::uword r = 0; r < rows.n_elem; ++r) {
    const Cell x = cell_of(a[rows[r]], grid.half_width, grid.step, grid.nodes);
    const Cell y = cell_of(b[rows[r]], grid.half_width, grid.step, grid.nodes);
    for (arma::uword k = 0; k < all.size(); ++k) density(k, r) = interpolated(all[k], x, y);
  }
  arma::vec weight(all.size(), arma::fill::value(1.0 / static_cast<double>(all.size())));
  for (int step = 0; step < steps; ++step) {
    arma::vec next(all.size(), arma::fill::zeros);
    for (arma::uword r = 0; r < rows.n_elem; ++r) {
      const arma::vec part = weight % density.col(r);
      next += part / arma::accu(part);
    }
    weight = next / static_cast<double>(rows.n_elem);
    weight.back() = std::max(weight.back(), min_normal_weight);
    weight /= arma::accu(weight);
  }
  return weight;
}

arma::uvec every_second(arma::uword rows, arma::uword first) {
  return arma::regspace<arma::uvec>(first, 2, rows - 1);
}

}  // namespace

PairDensity::PairDensity(const arma::vec& a, const arma::vec& b) {
  require(a.n_elem == b.n_elem && a.n_elem >= 20, "PairDensity: ", a.n_elem, " and ", b.n_elem,
          " rows; at least 20 of each, and as many");
  const Grid grid(std::max(arma::abs(a).max(), arma::abs(b).max()));
  half_width_ = grid.half_width;
  step_ = grid.step;
  const arma::uvec even = every_second(a.n_elem, 0), odd = every_second(a.n_elem, 1);
  const arma::vec weight = best_weights(estimates(a, b, even, grid), a, b, odd, grid);
  const std::vector<arma::mat> all = estimates(a, b, arma::regspace<arma::uvec>(0, a.n_elem - 1), grid);
  density_.zeros(grid.nodes, grid.nodes);
  for (std::size_t k = 0; k < all.size(); ++k) density_ += weight[k] * all[k];
  cumulative_.zeros(arma::size(density_));
  for (arma::uword i = 0; i < grid.nodes; ++i) {
    double sum = 0;
    for (arma::uword j = 1; j < grid.nodes; ++j)
      cumulative_(j, i) = sum += 0.5 * step_ * (density_(j - 1, i) + density_(j, i));
    density_.col(i) /= sum;
    cumulative_.col(i) /= sum;
  }
}

void PairDensity::evaluate(const arma::vec& a, const arma::vec& b, arma::vec& log_ratio, arma::vec& rest) const {
  constexpr double tiny = 1e-300;
  const arma::uword nodes = density_.n_rows;
  log_ratio.set_size(a.n_elem);
  rest.set_size(a.n_elem);
  for (arma::uword r = 0; r < a.n_elem; ++r) {
    const Cell x = cell_of(a[r], half_width_, step_, nodes), y = cell_of(b[r], half_width_, step_, nodes);
    log_ratio[r] = std::log(std::max(interpolated(density_, x, y), tiny)) - log_normal_pdf(b[r]);
    double lower = 0;
    for (const arma::uword side : {arma::uword{0}, arma::uword{1}}) {
      const double from = density_(y.index, x.index + side), to = density_(y.index + 1, x.index + side);
      const double mass = cumulative_(y.index, x.index + side) + step_ * y.share * (from + 0.5 * y.share * (to - from));
      lower += (side == 0 ? 1 - x.share : x.share) * mass;
    }
    constexpr double closest = 1e-12;
    rest[r] = normal_quantile(std::clamp(lower, closest, 1 - closest));
  }
}

}  // namespace gaussianize::detail

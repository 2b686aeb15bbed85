#include "gaussianize/gf/detail/initialise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/gf/detail/engine.hpp"
#include "gaussianize/gf/detail/optimizer.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// At most `max_rows` distinct rows, in the order of x.
arma::mat some_rows(const arma::mat& x, std::size_t max_rows, Seed seed) {
  if (x.n_rows <= max_rows) return x;
  RandomStream stream(seed, Purpose::subsample);
  const std::vector<std::size_t> chosen = subsample(x.n_rows, max_rows, stream);
  arma::uvec rows(chosen.size());
  std::copy(chosen.begin(), chosen.end(), rows.begin());
  return x.rows(rows);
}

Rotation random_start(std::size_t index, std::size_t dimension, const GfOptions& o, RandomStream& stream) {
  const bool patches =
      o.rotations == RotationLayout::patch || (o.rotations == RotationLayout::alternating && index % 2 == 1);
  if (!patches) return random_householder(dimension, o.reflections, stream);
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(dimension))));
  return random_patch_rotation(side, o.patch, std::min(o.reflections, o.patch * o.patch), stream);
}

/// The distribution that the output of a layer should have.
enum class Target { normal, logistic };

Link link_of(const GfOptions& o) {
  return o.layer == LayerMap::paper ? Link::probit : Link::logit;
}

/// A logit's output is logistic where the fixed map to N(0, I) follows, after the last layer.
Target target_of(bool last_layer, const GfOptions& o) {
  return last_layer && o.layer == LayerMap::straight ? Target::logistic : Target::normal;
}

/// The share of rows below the point where F = p. A logit maps F = p to c·log(p/(1 − p)); the share of a normal column
/// below that value differs from p.
double row_share(double p, Link link, Target target) {
  if (link == Link::probit || target == Target::logistic) return p;
  return normal_cdf(logit_scale * std::log(p / (1 - p)));
}

arma::vec place_anchors(const arma::vec& column, std::size_t anchors, Initialisation init, Link link, Target target,
                        RandomStream& stream) {
  arma::vec mu(anchors);
  if (init == Initialisation::rows) {
    for (double& anchor : mu) anchor = column[stream.below(column.n_elem)];
    return mu;
  }
  const arma::vec sorted = arma::sort(column);
  const auto last = static_cast<double>(column.n_elem - 1);
  for (std::size_t k = 0; k < anchors; ++k) {
    const double rank = row_share((static_cast<double>(k) + 0.5) / static_cast<double>(anchors), link, target) * last;
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min<std::size_t>(below + 1, column.n_elem - 1);
    mu[k] = std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
  }
  return mu;
}

/// Rule-of-thumb bandwidths for random anchors. Quantile anchors are close together where rows are dense: there the
/// bandwidth is twice the local distance between anchors, at least a fiftieth of the rule of thumb. The outermost
/// kernels of a logit start with the bandwidth c·scale: the widest kernel decides the slope of the map beyond the rows,
/// and with c·scale it only standardises. With narrower ones, a row a little outside would move farther out at every
/// layer.
void set_bandwidths(double scale, Initialisation init, Link link, const arma::vec& mu,
                    arma::subview_col<double> log_scale) {
  const double widest = rule_of_thumb_bandwidth(scale, mu.n_elem);
  log_scale.fill(std::log(widest));
  if (init != Initialisation::quantile || mu.n_elem < 2) return;
  for (arma::uword k = 0; k < mu.n_elem; ++k) {
    const arma::uword left = k > 2 ? k - 2 : 0;
    const arma::uword right = std::min<arma::uword>(k + 2, mu.n_elem - 1);
    const double spacing = (mu[right] - mu[left]) / static_cast<double>(right - left);
    log_scale[k] = std::log(std::clamp(2 * spacing, widest / 50, widest));
  }
  if (link == Link::logit) log_scale[0] = log_scale[mu.n_elem - 1] = std::log(logit_scale * scale);
}

LogisticMixture fit_mixture(const arma::mat& x, std::size_t layer, Target target, const GfOptions& o) {
  const Link link = link_of(o);
  const std::size_t anchors = layer == 0 ? o.first_anchors : o.anchors;
  LogisticMixture mixture{arma::mat(anchors, x.n_cols), arma::mat(anchors, x.n_cols), arma::mat(), link};
  if (o.train_weights) mixture.logit.zeros(anchors, x.n_cols);
  parallel_for(x.n_cols, o.threads, [&](std::size_t d) {
    RandomStream stream(o.seed, Purpose::anchors, layer * x.n_cols + d);
    mixture.mu.col(d) = place_anchors(x.col(d), anchors, o.init, link, target, stream);
    const double scale = arma::stddev(x.col(d), 1);
    if (!(scale > 0))
      throw DataError(concat("column ", d, " is constant in the input of layer ", layer, ": it has no density"));
    set_bandwidths(scale, o.init, link, mixture.mu.col(d), mixture.log_scale.col(d));
  });
  return mixture;
}

/// The mixtures whose distributions are closest to those of spline maps: maximum likelihood on the maps' own quantiles,
/// by a short run of Adam from where quantile anchors start.
///
/// A logit that is fitted by likelihood gives logistic columns; where a normal one is wanted it is therefore fitted to
/// points whose images are logistic.
LogisticMixture to_mixture(const SplineMarginal& splines, std::size_t layer, Target target, const GfOptions& o) {
  constexpr std::size_t points = 512;
  constexpr std::uint64_t steps = 300;
  arma::mat x(points, splines.columns.size());
  const bool logistic_points = link_of(o) == Link::logit && target == Target::normal;
  for (std::size_t i = 0; i < points; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    x.row(i).fill(logistic_points ? logit_scale * std::log(p / (1 - p)) : normal_quantile(p));
  }
  inverse(splines, x);
  GfParameters fitted{{{Identity{}, fit_mixture(x, layer, Target::logistic, o)}}};
  AdamState adam = start_adam(fitted, {});
  GfEngine engine(points, o.threads);
  GfParameters gradient;
  std::vector<std::size_t> rows(points);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::uint64_t i = 0; i < steps; ++i) {
    engine.loss_and_gradient(fitted, x, rows, gradient);
    adam_step(fitted, gradient, adam, learning_rate({.learning_rate = 0.02}, {}, i, steps), {});
  }
  return fitted.layers[0].marginal;
}

}  // namespace

GfParameters initialise(const arma::mat& x, const GfOptions& o) {
  GfParameters parameters;
  arma::mat rows = some_rows(x, o.init_rows, o.seed);
  arma::vec log_det(rows.n_rows, arma::fill::zeros);
  for (std::size_t l = 0; l < o.layers; ++l) {
    for (std::size_t m = 0; m < o.marginals_per_rotation; ++m) {
      GfLayer layer;
      RandomStream stream(o.seed, Purpose::rotation, l);
      if (m == 0 && (l > 0 || o.rotate_first) && x.n_cols > 1) {
        layer.rotation = random_start(l, x.n_cols, o, stream);
        rows = forward(layer.rotation, std::move(rows), o.threads);
      }
      const std::size_t index = parameters.layers.size();
      const bool last = index + 1 == o.layers * o.marginals_per_rotation;
      layer.marginal = fit_mixture(rows, index, target_of(last, o), o);
      forward(Layer{Identity{}, layer.marginal}, rows, log_det, o.threads);
      parameters.layers.push_back(std::move(layer));
    }
  }
  return parameters;
}

GfParameters from_rbig(const std::vector<Layer>& layers, const GfOptions& o) {
  require(o.anchors > 0 && o.first_anchors > 0, "from_rbig: anchors is 0; pass resolved options");
  const BlasGuard blas;
  GfParameters parameters;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto* splines = std::get_if<SplineMarginal>(&layers[l].marginal);
    require(splines != nullptr, "from_rbig: layer ", l,
            " has no spline marginal; pass RBIG's layers after the standardising one");
    GfLayer layer;
    if (const auto* orthogonal = std::get_if<Orthogonal>(&layers[l].rotation))
      layer.rotation = to_householder(orthogonal->q);
    else
      require(std::holds_alternative<Identity>(layers[l].rotation), "from_rbig: layer ", l,
              " has a rotation RBIG does not make");
    layer.marginal = to_mixture(*splines, l, target_of(l + 1 == layers.size(), o), o);
    parameters.layers.push_back(std::move(layer));
  }
  return parameters;
}

}  // namespace gaussianize::detail

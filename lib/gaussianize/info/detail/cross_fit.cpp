#include "gaussianize/info/detail/cross_fit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/info/detail/dyadic_partition.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/pair_tree.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize::detail {
namespace {

constexpr arma::uword folds = 3;
/// Flows learn little from more rows than this, for their time.
constexpr std::size_t max_flow_rows = 20000;

/// The rows of fold f, and the others.
struct Fold {
  arma::uvec held, seen;
};

Fold fold_rows(arma::uword rows, arma::uword f) {
  Fold fold;
  fold.held = arma::regspace<arma::uvec>(f, folds, rows - 1);
  fold.seen.set_size(rows - fold.held.n_elem);
  for (arma::uword i = 0, k = 0; i < rows; ++i)
    if (i % folds != f) fold.seen[k++] = i;
  return fold;
}

arma::mat evenly_spaced(const arma::mat& z, std::size_t max_rows) {
  const std::size_t n = std::min<std::size_t>(z.n_rows, max_rows);
  arma::uvec rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = spaced_row(i, n, z.n_rows);
  return z.rows(rows);
}

RatioModel flow_model(Flow flow) {
  return [flow = std::move(flow)](arma::mat& z) {
    const arma::vec before = log_normal_rows(z);
    FlowPass pass = forward(flow, z, {.threads = 1});
    z = std::move(pass.z);
    return arma::vec(log_normal_rows(z) + pass.log_det - before);
  };
}

arma::mat probabilities(arma::mat z) {
  z.transform([](double value) { return normal_cdf(value); });
  return z;
}

/// The weights of the mixture that the rows find likeliest; one column of log densities each.
arma::vec mixture_weights(const arma::mat& log_densities) {
  constexpr int steps = 100;
  arma::mat density = log_densities.t();
  density.each_row() -= arma::max(density, 0);
  density = arma::exp(density);
  const arma::uword count = density.n_rows;
  arma::vec weight(count, arma::fill::value(1.0 / static_cast<double>(count)));
  for (int step = 0; step < steps; ++step) {
    arma::vec next(count, arma::fill::zeros);
    for (arma::uword i = 0; i < density.n_cols; ++i) {
      const arma::vec part = weight % density.col(i);
      next += part / arma::accu(part);
    }
    weight = next / static_cast<double>(density.n_cols);
  }
  return weight;
}

/// log Σ_k w_k exp(terms_k) of every row.
arma::vec mixed(arma::mat terms, const arma::vec& weights) {
  const arma::vec largest = arma::max(terms, 1);
  terms.each_col() -= largest;
  return largest + arma::log(arma::exp(terms) * weights);
}

}  // namespace

double learning(const CrossFit& fit) {
  return std::max(0.0, arma::mean(fit.log_ratio - fit.smaller()));
}

std::vector<CrossFit> cross_fit(const std::vector<CrossFitPlan>& plans, int threads) {
  std::vector<CrossFit> results(plans.size());
  for (std::size_t k = 0; k < plans.size(); ++k)
    results[k] = {plans[k].name, arma::vec(plans[k].z.n_rows), arma::mat(arma::size(plans[k].z)), {}};
  std::vector<arma::mat> rest(plans.size() * folds);
  parallel_for(rest.size(), threads, [&](std::size_t task) {
    const CrossFitPlan& plan = plans[task / folds];
    const Fold fold = fold_rows(plan.z.n_rows, task % folds);
    rest[task] = plan.z.rows(fold.held);
    const RatioModel model = plan.fit(plan.z.rows(fold.seen));
    results[task / folds].log_ratio.elem(fold.held) = model(rest[task]);
  });
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (arma::uword f = 0; f < folds && !results[k].rest.is_empty(); ++f) {
      if (rest[k * folds + f].is_empty())
        results[k].rest.reset();
      else
        results[k].rest.rows(fold_rows(plans[k].z.n_rows, f).held) = rest[k * folds + f];
    }
    results[k].smaller = [plan = plans[k], threads] {
      arma::vec log_ratio(plan.z.n_rows);
      parallel_for(folds, threads, [&](std::size_t f) {
        const Fold fold = fold_rows(plan.z.n_rows, f);
        arma::mat held = plan.z.rows(fold.held);
        const RatioModel model = plan.fit(plan.z.rows(fold.seen.elem(half_of_rows(fold.seen.n_elem, 0))));
        log_ratio.elem(fold.held) = model(held);
      });
      return log_ratio;
    };
  }
  return results;
}

CrossFit cross_fit(CrossFitPlan plan, int threads) {
  return std::move(cross_fit(std::vector<CrossFitPlan>{std::move(plan)}, threads).front());
}

CrossFit mixture_of(const std::vector<CrossFit>& list) {
  constexpr double min_weight = 0.05;
  arma::mat terms(list.front().log_ratio.n_elem, list.size());
  for (std::size_t k = 0; k < list.size(); ++k) terms.col(k) = list[k].log_ratio;
  arma::vec weights = mixture_weights(terms);
  const arma::uvec kept = arma::find(weights >= min_weight);
  weights = weights.elem(kept) / arma::accu(weights.elem(kept));
  std::vector<std::function<arma::vec()>> smaller;
  std::string name;
  for (const arma::uword k : kept) {
    smaller.push_back(list[k].smaller);
    name += (name.empty() ? "" : " + ") + list[k].name;
  }
  // Each weight raises the mean on the rows that chose it by half a nat over N, and lowers it on others by as much.
  const double optimism = static_cast<double>(list.size() - 1) / static_cast<double>(terms.n_rows);
  CrossFit result{"mixture: " + name, mixed(terms.cols(kept), weights) - optimism, {}, {}};
  result.smaller = [smaller, weights, optimism, rows = terms.n_rows] {
    arma::mat parts(rows, smaller.size());
    for (std::size_t k = 0; k < smaller.size(); ++k) parts.col(k) = smaller[k]();
    return arma::vec(mixed(parts, weights) - optimism);
  };
  return result;
}

RatioFit partition_fit(const MeasureOptions& options) {
  return [seed = options.seed](const arma::mat& z) -> RatioModel {
    auto partition = std::make_shared<DyadicPartition>(probabilities(z), seed, 1);
    return [partition](arma::mat& rows) {
      arma::vec log_ratio = partition->log_density(probabilities(rows), 1);
      rows.reset();
      return log_ratio;
    };
  };
}

RatioFit pair_trees_fit() {
  return [](const arma::mat& z) -> RatioModel {
    constexpr std::size_t max_trees = 3;
    auto trees = std::make_shared<std::vector<PairTree>>();
    arma::mat rows = z;
    for (std::size_t t = 0; t < max_trees; ++t) {
      PairTree tree = fit_pair_tree(rows, 1);
      if (tree.edges.empty()) break;
      arma::vec unused(rows.n_rows, arma::fill::zeros);
      forward(tree, rows, unused, 1);
      trees->push_back(std::move(tree));
    }
    return [trees](arma::mat& given) {
      arma::vec log_ratio(given.n_rows, arma::fill::zeros);
      for (const PairTree& tree : *trees) forward(tree, given, log_ratio, 1);
      return log_ratio;
    };
  };
}

RatioFit rbig_fit(const MeasureOptions& options) {
  RbigOptions rbig = residual_rbig(options);
  rbig.threads = 1;
  return [rbig](const arma::mat& z) { return flow_model(fit_rbig(evenly_spaced(z, max_flow_rows), rbig).flow); };
}

RatioFit gf_fit(const MeasureOptions& options) {
  const double steps = options.effort == MeasureEffort::best ? 4000 : 1000;
  return [steps, seed = options.seed](const arma::mat& z) {
    const arma::mat rows = evenly_spaced(z, max_flow_rows);
    const auto n = static_cast<double>(rows.n_rows);
    GfOptions gf;
    gf.marginal_layer = false;
    gf.anchors = gf.first_anchors = static_cast<std::size_t>(std::clamp(std::sqrt(n) / 8, 4.0, 20.0));
    gf.layers = static_cast<std::size_t>(std::clamp(0.7 * std::cbrt(n), 2.0, 12.0));
    gf.batch = std::clamp<std::size_t>(rows.n_rows / 20, std::min<std::size_t>(rows.n_rows, 100), 1000);
    gf.epochs = static_cast<std::size_t>(std::clamp(steps * static_cast<double>(gf.batch) / n, 4.0, 100.0));
    gf.schedule.learning_rate = 0.02;
    gf.seed = seed;
    gf.threads = 1;
    return flow_model(fit_gf(rows, gf).flow);
  };
}

}  // namespace gaussianize::detail

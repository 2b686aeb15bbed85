#include "gaussianize/info/detail/pair_tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// Classes of equal probability under N(0, 1), in which pairs are counted.
arma::uword class_count(arma::uword rows) {
  return static_cast<arma::uword>(std::clamp(std::cbrt(static_cast<double>(rows)), 4.0, 24.0));
}

/// The mutual information of two columns of classes, less the bias (C − 1)²/2N of counting.
double counted_information(const arma::uword* a, const arma::uword* b, arma::uword rows, arma::uword classes) {
  arma::mat count(classes, classes, arma::fill::zeros);
  for (arma::uword i = 0; i < rows; ++i) ++count(a[i], b[i]);
  const arma::rowvec of_b = arma::sum(count, 0);
  const arma::vec of_a = arma::sum(count, 1);
  const auto n = static_cast<double>(rows);
  double sum = 0;
  for (arma::uword j = 0; j < classes; ++j)
    for (arma::uword i = 0; i < classes; ++i)
      if (count(i, j) > 0) sum += count(i, j) * std::log(count(i, j) * n / (of_a[i] * of_b[j]));
  const auto free = static_cast<double>(classes - 1);
  return sum / n - free * free / (2 * n);
}

arma::mat pair_information(const arma::mat& z, int threads) {
  const arma::uword classes = class_count(z.n_rows);
  arma::umat in(z.n_rows, z.n_cols);
  for (arma::uword k = 0; k < z.n_elem; ++k)
    in[k] = std::min(static_cast<arma::uword>(normal_cdf(z[k]) * static_cast<double>(classes)), classes - 1);
  arma::mat information(z.n_cols, z.n_cols, arma::fill::zeros);
  parallel_for(z.n_cols, threads, [&](std::size_t i) {
    for (arma::uword j = 0; j < i; ++j)
      information(i, j) = counted_information(in.colptr(i), in.colptr(j), z.n_rows, classes);
  });
  return information + information.t();
}

struct Pair {
  arma::uword parent, child;
};

/// The spanning tree of largest sum [Prim 1957], parents before their children.
std::vector<Pair> largest_tree(const arma::mat& information) {
  const arma::uword d = information.n_cols;
  std::vector<Pair> tree;
  std::vector<bool> reached(d, false);
  std::vector<arma::uword> nearest(d, 0);
  reached[0] = true;
  for (arma::uword step = 1; step < d; ++step) {
    arma::uword best = d;
    for (arma::uword j = 0; j < d; ++j)
      if (!reached[j] && (best == d || information(j, nearest[j]) > information(best, nearest[best]))) best = j;
    tree.push_back({nearest[best], best});
    reached[best] = true;
    for (arma::uword j = 0; j < d; ++j)
      if (!reached[j] && information(j, best) > information(j, nearest[j])) nearest[j] = best;
  }
  return tree;
}

/// Whether a density of the pair gains on every third row, which it was not fitted to.
bool gains(const arma::vec& a, const arma::vec& b) {
  constexpr double standard_errors = 1.0;
  const arma::uvec held = arma::regspace<arma::uvec>(2, 3, a.n_elem - 1);
  arma::uvec seen(a.n_elem - held.n_elem);
  for (arma::uword i = 0, k = 0; i < a.n_elem; ++i)
    if (i % 3 != 2) seen[k++] = i;
  arma::vec ratio, rest;
  PairDensity(a.elem(seen), b.elem(seen)).evaluate(a.elem(held), b.elem(held), ratio, rest);
  const Estimate gain = mean_estimate(ratio);
  return gain.value > standard_errors * gain.standard_error;
}

}  // namespace

PairTree fit_pair_tree(const arma::mat& z, int threads) {
  constexpr arma::uword min_rows = 60;
  PairTree tree;
  if (z.n_cols < 2 || z.n_rows < min_rows) return tree;
  const std::vector<Pair> pairs = largest_tree(pair_information(z, threads));
  std::vector<std::unique_ptr<PairDensity>> densities(pairs.size());
  parallel_for(pairs.size(), threads, [&](std::size_t k) {
    const arma::vec a = z.col(pairs[k].parent), b = z.col(pairs[k].child);
    if (gains(a, b)) densities[k] = std::make_unique<PairDensity>(a, b);
  });
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (densities[k]) tree.edges.push_back({pairs[k].parent, pairs[k].child, std::move(*densities[k])});
  return tree;
}

void forward(const PairTree& tree, arma::mat& z, arma::vec& log_ratio, int threads) {
  const arma::mat before = z;
  arma::mat terms(z.n_rows, tree.edges.size());
  parallel_for(tree.edges.size(), threads, [&](std::size_t k) {
    const PairTree::Edge& edge = tree.edges[k];
    arma::vec ratio, rest;
    edge.density.evaluate(before.col(edge.parent), before.col(edge.child), ratio, rest);
    terms.col(k) = ratio;
    z.col(edge.child) = rest;
  });
  log_ratio += arma::sum(terms, 1);
}

}  // namespace gaussianize::detail

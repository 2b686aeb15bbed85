#include "gaussianize/search/detail/gf_candidates.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/gf/detail/resolve_options.hpp"

namespace gaussianize::detail {
namespace {

/// Kernel evaluations of all candidates' first rounds together, about two minutes on two cores.
constexpr double first_round_work = 1e11;
/// Kernel evaluations of a single-cycle candidate, about half a minute on two cores.
constexpr double one_cycle_work = 6e9;
constexpr std::size_t max_layers = 40;

/// A candidate before the caller's options are applied.
struct Shape {
  bool marginal_layer = false, whitening_layer = false, from_rbig = false;
  double depth = 1.0, anchors = 1.0;  ///< factors on the numbers that resolve chooses
  double rate = 1.0;
  int single_cycle = 0;  ///< 1, 2: from this or another start, with as few anchors in the first layer as in the others
};

std::string describe(const GfCandidate& candidate) {
  const GfOptions& o = candidate.options;
  if (!candidate.trained)
    return o.marginal_layer ? (o.whitening_layer ? "kernel maps, whitened (Gaussian copula)" : "kernel maps alone")
                            : "Gaussian";
  std::string first = o.marginal_layer ? "kernel maps" : "";
  if (o.whitening_layer) first += first.empty() ? "whitened" : ", whitened";
  if (candidate.from_rbig) first += first.empty() ? "from RBIG" : ", from RBIG";
  if (first.empty()) first = "standardised";
  return concat(first, "; ", o.layers, o.layers == 1 ? " layer of " : " layers of ", o.anchors, " anchors");
}

std::size_t scaled(std::size_t count, double factor, std::size_t max_count) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(factor * static_cast<double>(count))), 1,
                                 max_count);
}

GfCandidate trained(const Shape& shape, const GfOptions& options, const GfSearchOptions& search, std::size_t rows,
                    std::size_t dimension) {
  GfCandidate candidate;
  candidate.from_rbig = search.from_rbig.value_or(shape.from_rbig);
  candidate.single_cycle = shape.single_cycle > 0;
  GfOptions& o = candidate.options = resolve(options, rows, dimension);
  o.marginal_layer = search.marginal_layer.value_or(shape.marginal_layer) && !candidate.from_rbig;
  o.whitening_layer = search.whitening_layer.value_or(shape.whitening_layer) && dimension > 1 && !candidate.from_rbig;
  if (options.layers == 0 && dimension > 1) o.layers = scaled(o.layers, shape.depth, max_layers);
  if (options.anchors == 0) o.anchors = scaled(o.anchors, shape.anchors, 100);
  if (options.first_anchors == 0)
    o.first_anchors =
        candidate.single_cycle ? o.anchors : resolve({.anchors = o.anchors}, rows, dimension).first_anchors;
  if (options.schedule.learning_rate == 0) o.schedule.learning_rate *= shape.rate;
  candidate.name = describe(candidate);
  if (shape.single_cycle > 0) candidate.name += ", in one go";
  if (shape.single_cycle > 1) {
    candidate.name += " from another start";
    o.seed = Seed{o.seed.value + 1000};
  }
  return candidate;
}

GfCandidate fixed(bool marginal_layer, bool whitening_layer, const GfOptions& options, std::size_t rows,
                  std::size_t dimension) {
  GfCandidate candidate{.trained = false};
  candidate.options = resolve(options, rows, dimension);
  candidate.options.marginal_layer = marginal_layer;
  candidate.options.whitening_layer = whitening_layer;
  candidate.name = describe(candidate);
  return candidate;
}

/// Kernel evaluations of the first round.
double first_work(const GfCandidate& candidate, const GfSearchOptions& search, std::size_t rows,
                  std::size_t dimension) {
  const GfOptions& o = candidate.options;
  const auto kernels = static_cast<double>(o.first_anchors + (o.layers * o.marginals_per_rotation - 1) * o.anchors);
  return kernels * static_cast<double>(dimension) * static_cast<double>(rows) *
         static_cast<double>(round_epochs(candidate, search, rows, 0));
}

}  // namespace

std::size_t round_epochs(const GfCandidate& candidate, const GfSearchOptions& search, std::size_t rows,
                         std::size_t round) {
  const double steps_per_epoch = std::ceil(static_cast<double>(rows) / static_cast<double>(candidate.options.batch));
  const double first = std::max(2.0, search.effort * std::min(first_round_steps / steps_per_epoch, 40.0));
  const double rounds =
      candidate.single_cycle ? std::exp2(static_cast<double>(max_rounds)) - 1 : std::exp2(static_cast<double>(round));
  return static_cast<std::size_t>(std::lround(first * rounds));
}

std::vector<GfCandidate> gf_candidates(const GfOptions& options, const GfSearchOptions& search, std::size_t rows,
                                       std::size_t dimension, std::size_t folds) {
  std::vector<GfCandidate> list;
  const bool plain = options.rotations == RotationLayout::householder && options.marginals_per_rotation == 1;
  const bool fixed_allowed = !search.from_rbig.value_or(false);
  const auto allowed = [](const std::optional<bool>& choice, bool value) { return choice.value_or(value) == value; };
  // Fewer rows have no covariance of full rank.
  const bool may_whiten = rows > dimension + 1 || dimension == 1;
  const auto add_fixed = [&](bool kde, bool whiten) {
    if ((may_whiten || !whiten) && fixed_allowed && allowed(search.marginal_layer, kde) &&
        allowed(search.whitening_layer, whiten))
      list.push_back(fixed(kde, whiten, options, rows, dimension));
  };
  add_fixed(false, true);
  add_fixed(true, dimension > 1);
  double work = 0;
  bool any = false;
  // kernel maps, whitened, from RBIG; depth, anchors
  for (const Shape& shape :
       {Shape{true, false, false, 1, 1}, Shape{false, false, true, 1, 1}, Shape{false, true, false, 1, 1},
        Shape{true, true, false, 0.35, 1}, Shape{false, false, false, 1.35, 2, 2}, Shape{false, false, true, 2, 1},
        Shape{false, false, false, 2, 2}, Shape{true, false, false, 2, 0.5}, Shape{false, true, false, 0.35, 1}}) {
    if (shape.from_rbig && (!plain || dimension == 1)) continue;
    if (shape.whitening_layer && !may_whiten && !search.whitening_layer) continue;
    GfCandidate candidate = trained(shape, options, search, rows, dimension);
    const bool known = std::any_of(list.begin(), list.end(), [&](const GfCandidate& other) {
      return other.name == candidate.name &&
             other.options.schedule.learning_rate == candidate.options.schedule.learning_rate;
    });
    work += first_work(candidate, search, rows, dimension);
    if (known || (any && work > search.effort * first_round_work)) continue;
    any = true;
    list.push_back(std::move(candidate));
  }
  if (dimension == 1) return list;
  for (int start = 1; start <= (folds > 1 ? 1 : 2); ++start) {
    GfCandidate deep = trained({.depth = 2.9, .rate = 2, .single_cycle = start}, options, search, rows, dimension);
    if (first_work(deep, search, rows, dimension) <= search.effort * one_cycle_work) list.push_back(std::move(deep));
  }
  return list;
}

}  // namespace gaussianize::detail

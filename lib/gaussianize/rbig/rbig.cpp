#include "gaussianize/rbig/rbig.hpp"

#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rbig/detail/search.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void check_options(const RbigOptions& o) {
  require(o.max_layers > 0, "RbigOptions::max_layers is 0; at least 1 layer is needed");
  require(o.patience > 0, "RbigOptions::patience is 0; give at least 1");
  require(o.step_fraction > 0 && o.step_fraction <= 1, "RbigOptions::step_fraction is ", o.step_fraction,
          "; it must lie in (0, 1]");
  require(o.min_shrinkage >= 0 && o.min_shrinkage < 1, "RbigOptions::min_shrinkage is ", o.min_shrinkage,
          "; it must lie in [0, 1)");
  require(o.validation_fraction > 0 && o.validation_fraction < 1, "RbigOptions::validation_fraction is ",
          o.validation_fraction, "; it must lie between 0 and 1");
  require(o.kde_rows != 1, "RbigOptions::kde_rows is 1; a kernel estimate needs at least 2 rows (0 means all)");
  resolve_threads(o.threads);
}

/// Columns that are not constant. Throws for the first that is, unless they may be dropped.
arma::uvec usable_columns(const arma::mat& x, ConstantColumns rule) {
  std::vector<arma::uword> kept;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    if (arma::any(x.col(d) != x(0, d)))
      kept.push_back(d);
    else if (rule == ConstantColumns::error)
      throw DataError(concat("column ", d, " is constant (", x(0, d), "): it has no density; drop it"));
  }
  if (kept.empty()) throw DataError("every column is constant: there is nothing to fit");
  return kept;
}

}  // namespace

RbigOptions paper_rbig_options() {
  return {.rotation = RotationKind::pca,
          .first_bandwidth = BandwidthRule::rule_of_thumb,
          .tails = TailRule::kernel,
          .kde_rows = 50000,
          .shrink = false,
          .stop = StoppingRule::fixed,
          .max_layers = 5,
          .search = false};
}

RbigFit fit_rbig(const arma::mat& x, const arma::mat& validation, const RbigOptions& options) {
  check_options(options);
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_rbig: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require(validation.n_rows == 0 || validation.n_cols == x.n_cols, "fit_rbig: ", x.n_cols, " training and ",
          validation.n_cols, " validation columns; they must be the same columns");
  require(options.stop != StoppingRule::likelihood || validation.n_rows > 0,
          "fit_rbig: the likelihood rule needs validation rows, or more rows to hold some out; choose another rule");
  require_finite(x, "fit_rbig");
  require_finite(validation, "fit_rbig, validation");
  const BlasGuard blas;
  const arma::uvec kept = usable_columns(x, options.constant_columns);
  const arma::mat held_out = validation.n_rows > 0 ? arma::mat(validation.cols(kept)) : arma::mat(0, kept.n_elem);
  const bool search = options.search && options.stop == StoppingRule::likelihood;
  RbigFit fit = search ? search_rbig(x.cols(kept), held_out, options) : fit_one_rbig(x.cols(kept), held_out, options);
  fit.kept = kept;
  return fit;
}

RbigFit fit_rbig(const arma::mat& x, const RbigOptions& options) {
  check_options(options);
  require_finite(x, "fit_rbig");
  if (options.stop != StoppingRule::likelihood) return fit_rbig(x, arma::mat(), options);
  const auto held = static_cast<std::size_t>(std::ceil(options.validation_fraction * static_cast<double>(x.n_rows)));
  require(x.n_rows >= held + 2, "fit_rbig: ", x.n_rows, " rows leave fewer than 2 to fit after ", held,
          " are held out; pass more rows or another stopping rule");
  RandomStream stream(options.seed, Purpose::split);
  const std::vector<std::size_t> order = permutation(x.n_rows, stream);
  arma::uvec rows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rows[i] = order[i];
  return fit_rbig(x.rows(rows.tail(x.n_rows - held)), x.rows(rows.head(held)), options);
}

std::string_view name(RotationKind kind) {
  switch (kind) {
    case RotationKind::identity:
      return "identity";
    case RotationKind::random:
      return "random";
    case RotationKind::pca:
      return "pca";
    case RotationKind::ica:
      return "ica";
    case RotationKind::sliced:
      return "sliced";
    case RotationKind::automatic:
      return "auto";
  }
  return "unknown";
}

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::max_layers:
      return "the most layers allowed";
    case StopReason::likelihood:
      return "held-out likelihood no longer rises";
    case StopReason::information:
      return "no more information than N(0, I) shows by chance";
    case StopReason::one_dimension:
      return "columns are not mixed, so one layer says all";
    case StopReason::cancelled:
      return "cancelled by the caller";
  }
  return "unknown";
}

std::string_view name(FirstMap first) {
  switch (first) {
    case FirstMap::automatic:
      return "automatic";
    case FirstMap::columns:
      return "columns first";
    case FirstMap::whitening:
      return "whitening first";
  }
  return "unknown";
}

}  // namespace gaussianize

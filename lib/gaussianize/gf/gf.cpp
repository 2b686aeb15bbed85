#include "gaussianize/gf/gf.hpp"

#include <algorithm>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/gf/detail/trainer.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void check_data(const arma::mat& x, const arma::mat& validation) {
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_gf: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require(validation.n_rows == 0 || validation.n_cols == x.n_cols, "fit_gf: ", x.n_cols, " training and ",
          validation.n_cols, " validation columns; they must be the same columns");
  require_finite(x, "fit_gf");
  require_finite(validation, "fit_gf, validation");
}

/// Calls body(training, validation) with a seeded share of the rows held out.
template <class Body>
GfFit with_held_out(const arma::mat& x, const GfOptions& options, Body body) {
  check_data(x, {});
  require(options.validation_fraction >= 0 && options.validation_fraction < 1, "GfOptions::validation_fraction is ",
          options.validation_fraction, "; it must lie in [0, 1)");
  auto held = static_cast<std::size_t>(options.validation_fraction * static_cast<double>(x.n_rows));
  if (options.validation_fraction > 0 && x.n_rows > 2) held = std::max<std::size_t>(held, 1);
  RandomStream stream(options.seed, Purpose::split);
  const std::vector<std::size_t> order = permutation(x.n_rows, stream);
  arma::uvec rows(order.size());
  std::copy(order.begin(), order.end(), rows.begin());
  return body(arma::mat(x.rows(rows.tail(x.n_rows - held))),
              held > 0 ? arma::mat(x.rows(rows.head(held))) : arma::mat());
}

}  // namespace

GfFit fit_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const GfParameters* start) {
  check_data(x, validation);
  const BlasGuard blas;
  Trainer trainer(x, validation, options);
  return trainer.run(trainer.fresh(start));
}

GfFit fit_gf(const arma::mat& x, const GfOptions& options) {
  return with_held_out(
      x, options, [&](const arma::mat& training, const arma::mat& held) { return fit_gf(training, held, options); });
}

GfFit resume_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const Checkpoint& checkpoint,
                const GfParameters* start) {
  check_data(x, validation);
  const BlasGuard blas;
  Trainer trainer(x, validation, options);
  return trainer.run(trainer.resumed(checkpoint, start));
}

GfFit resume_gf(const arma::mat& x, const GfOptions& options, const Checkpoint& checkpoint) {
  return with_held_out(x, options, [&](const arma::mat& training, const arma::mat& held) {
    return resume_gf(training, held, options, checkpoint);
  });
}

std::string_view name(GfStop reason) {
  switch (reason) {
    case GfStop::epochs:
      return "all epochs done";
    case GfStop::patience:
      return "the validation loss no longer falls";
    case GfStop::cancelled:
      return "cancelled by the caller";
  }
  return "unknown";
}

}  // namespace gaussianize

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/detail/resolve_options.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/math/estimate.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

GfOptions quick() {
  return {.layers = 4, .anchors = 10, .batch = 100, .epochs = 4};
}

arma::mat rows(std::size_t n, std::size_t dimension, std::uint64_t seed = 1) {
  return draw(KnownDistribution::sine_chain, n, dimension, Seed{seed}).x;
}

}  // namespace

TEST_CASE("training brings the density close to the truth, and never beyond it") {
  const KnownSample training = draw(KnownDistribution::sine_chain, 4000, 3, Seed{1});
  const KnownSample test = draw(KnownDistribution::sine_chain, 4000, 3, Seed{2});
  const GfFit fit = fit_gf(training.x, {.epochs = 30});
  const Estimate gain = mean_estimate(log_density(fit.flow, test.x) - test.log_density);
  CHECK(gain.value < 4 * gain.standard_error);
  CHECK(gain.value > -0.25);
  CHECK(fit.validation_nll < fit.initial_nll - 0.2);
  // The validation rows' loss is the flow's own, in the data's units.
  const Estimate fresh = mean_estimate(-log_density(fit.flow, test.x));
  const double ratio = 4000.0 / static_cast<double>(fit.validation_rows);
  CHECK(testing::absolute_error(fit.validation_nll, fresh.value) < 4 * fresh.standard_error * std::sqrt(1 + ratio));
}

TEST_CASE("training gives the same bytes for any number of threads") {
  const arma::mat x = rows(900, 3);
  GfOptions options = quick();
  options.threads = 1;
  const arma::vec expected = log_density(fit_gf(x, options).flow, x);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    CHECK(same_bytes(log_density(fit_gf(x, options).flow, x), expected));
  }
  options.seed = Seed{5};
  CHECK_FALSE(same_bytes(log_density(fit_gf(x, options).flow, x), expected));
}

TEST_CASE("resumed from any checkpoint, training ends in the same bytes") {
  const arma::mat x = rows(600, 3);
  for (const bool rich : {false, true}) {
    GfOptions options = quick();
    options.checkpoint_seconds = 1e-9;  // after every step
    if (rich) {
      options.train_weights = options.marginal_layer = options.adam.amsgrad = true;
      options.average_decay = 0.9;
      options.schedule.kind = Schedule::plateau;
      options.schedule.plateau_patience = 1;
      options.clip_norm = 1.0;
    }
    std::vector<Checkpoint> checkpoints;
    options.checkpoint = [&](const Checkpoint& checkpoint) { checkpoints.push_back(checkpoint); };
    const GfFit whole = fit_gf(x, options);
    const arma::vec expected = log_density(whole.flow, x);
    options.checkpoint = {};
    REQUIRE(checkpoints.size() > 20);
    for (std::size_t i = 0; i < checkpoints.size(); i += 5) {
      const GfFit rest = resume_gf(x, options, checkpoints[i]);
      CHECK(same_bytes(log_density(rest.flow, x), expected));
      CHECK(rest.epochs.size() == whole.epochs.size());
      CHECK(rest.validation_nll == whole.validation_nll);
      CHECK(rest.epochs.back().training_loss == whole.epochs.back().training_loss);
    }
    CHECK_THROWS_WITH_AS(resume_gf(rows(600, 3, 2), options, checkpoints[0]), doctest::Contains("another fit"),
                         std::invalid_argument);
    options.epochs = 5;
    CHECK_THROWS_WITH_AS(resume_gf(x, options, checkpoints[0]), doctest::Contains("another fit"),
                         std::invalid_argument);
  }
}

TEST_CASE("a cancelled fit keeps a checkpoint and what it had") {
  const arma::mat x = rows(600, 3);
  GfOptions options = quick();
  const arma::vec expected = log_density(fit_gf(x, options).flow, x);
  Checkpoint saved;
  options.checkpoint = [&](const Checkpoint& checkpoint) { saved = checkpoint; };
  options.progress = [](const Progress& p) { return p.done < 8; };
  const GfFit cut = fit_gf(x, options);
  CHECK(cut.stop_reason == GfStop::cancelled);
  CHECK(log_density(cut.flow, x).is_finite());
  options.progress = {};
  CHECK(same_bytes(log_density(resume_gf(x, options, saved).flow, x), expected));
}

TEST_CASE("the best epoch is kept, and patience ends a fit that overfits") {
  const arma::mat x = rows(120, 3);
  GfOptions options{.layers = 6,
                    .anchors = 20,
                    .batch = 50,
                    .epochs = 200,
                    .schedule = {.kind = Schedule::constant, .learning_rate = 0.02}};
  options.patience = 5;
  const GfFit fit = fit_gf(x, rows(400, 3, 2), options);
  CHECK(fit.stop_reason == GfStop::patience);
  CHECK(fit.epochs.size() == fit.best_epoch + 5);
  for (const GfEpochReport& epoch : fit.epochs) CHECK(epoch.validation_nll >= fit.validation_nll);
  CHECK(testing::relative_error(-arma::mean(log_density(fit.flow, rows(400, 3, 2))), fit.validation_nll) < 1e-12);
}

TEST_CASE("a learning rate that blows up is backed off, and never leaves less than the start") {
  const arma::mat x = rows(300, 2);
  GfOptions options = quick();
  for (const double rate : {1e6, 1e300}) {
    options.schedule = {.kind = Schedule::constant, .learning_rate = rate};
    const GfFit fit = fit_gf(x, options);
    CHECK(log_density(fit.flow, x).is_finite());
    CHECK(fit.validation_nll <= fit.initial_nll);
    std::size_t back_offs = 0;
    for (const GfEpochReport& epoch : fit.epochs) back_offs += epoch.undone_steps;
    CHECK(back_offs > 0);
  }
}

TEST_CASE("a start that cannot be trained is an error with its location") {
  GfOptions options = quick();
  options.marginal_layer = false;
  // Kernels of column 1 so narrow that every row but one at their centre is infinitely far off.
  arma::mat x(200, 2);
  for (arma::uword i = 0; i < x.n_rows; ++i) x.row(i) = arma::rowvec{i % 2 == 0 ? 1.0 : -1.0, i % 4 < 2 ? 1.0 : -1.0};
  LogisticMixture mixture{arma::mat(3, 2, arma::fill::zeros), arma::mat(3, 2, arma::fill::zeros), {}};
  const GfParameters good{{{Identity{}, mixture}}};
  mixture.log_scale.col(1).fill(-709.7);
  const GfParameters out_of_range{{{Identity{}, mixture}}};
  CHECK_THROWS_WITH_AS(fit_gf(x, arma::mat(5, 2, arma::fill::zeros), options, &out_of_range),
                       doctest::Contains("layer 0: logistic mixture: log_scale"), std::invalid_argument);
  // Kernels of column 1 so narrow that two straight layers take every row beyond 1e200, of which the square overflows.
  mixture.link = Link::logit;
  mixture.log_scale.col(1).fill(-250);
  const GfParameters bad{{{Identity{}, mixture}, {Identity{}, mixture}}};
  try {
    fit_gf(x, arma::mat(5, 2, arma::fill::zeros), options, &bad);
    FAIL("trained from there");
  } catch (const NumericalError& error) {
    CHECK(std::string(error.what()).find("did not help") != std::string::npos);
    CHECK(error.location().layer == 0);
    CHECK(error.location().dimension == 1);
  }
  const GfParameters none;
  CHECK_THROWS_AS(fit_gf(x, {}, options, &none), std::invalid_argument);
  // Otherwise the start's own shape is trained, and reported.
  const GfFit fit = fit_gf(x, {}, options, &good);
  CHECK(fit.options.layers == 1);
  CHECK(fit.options.anchors == 3);
  CHECK(testing::relative_error(fit.training_nll, -arma::mean(log_density(fit.flow, x))) < 1e-12);
}

TEST_CASE("gradients are clipped, and the average of the parameters is what is kept") {
  const arma::mat x = rows(100, 2);
  GfOptions options{.layers = 2, .anchors = 5, .batch = 100, .epochs = 1};
  options.average_decay = 0;
  const double free = fit_gf(x, {}, options).training_nll;
  options.average_decay = 0.9;
  const GfFit averaged = fit_gf(x, {}, options);
  // One step: the average still is the start.
  CHECK(testing::relative_error(averaged.training_nll, averaged.initial_nll) < 1e-12);
  CHECK(free < averaged.training_nll - 1e-4);
  options.average_decay = 0;
  options.clip_norm = 1e-14;  // far below Adam's ε
  CHECK(testing::relative_error(fit_gf(x, {}, options).training_nll, averaged.initial_nll) < 1e-8);
}

TEST_CASE("checkpoints come after every so many epochs, and a rare value does not keep a fit from resuming") {
  arma::mat x = rows(2000, 2);
  x.col(1).zeros();
  for (const arma::uword i : {3U, 500U, 900U, 1200U, 1500U, 1900U}) x(i, 1) = 1.0 + static_cast<double>(i);
  GfOptions options{.layers = 2, .anchors = 5, .batch = 500, .epochs = 5};
  options.marginal_layer = false;
  options.checkpoint_epochs = 2;
  std::vector<Checkpoint> checkpoints;
  options.checkpoint = [&](const Checkpoint& checkpoint) { checkpoints.push_back(checkpoint); };
  const GfFit whole = fit_gf(x, options);
  REQUIRE(checkpoints.size() == 2);
  const Checkpoint last = checkpoints.back();
  CHECK(same_bytes(log_density(resume_gf(x, options, last).flow, x), log_density(whole.flow, x)));
}

TEST_CASE("a frozen kernel layer makes training nearly blind to a power or a unit of a column") {
  const arma::mat x = rows(1500, 2);
  arma::mat bent = x;
  bent.col(0) = arma::pow(x.col(0), 3);
  const arma::mat fresh = rows(1000, 2, 2);
  arma::mat fresh_bent = fresh;
  fresh_bent.col(0) = arma::pow(fresh.col(0), 3);
  GfOptions options = quick();
  options.epochs = 10;
  options.marginal_layer = true;
  const auto nll = [&](const arma::mat& training, const arma::mat& test) {
    return -arma::mean(log_density(fit_gf(training, options).flow, test));
  };
  // −log p of x³ differs by log 3x².
  const double shift = arma::mean(arma::log(3 * arma::square(fresh.col(0))));
  const double plain = nll(x, fresh);
  CHECK(std::abs(nll(bent, fresh_bent) - shift - plain) < 0.03);
  CHECK(testing::relative_error(nll(1000 * x, 1000 * fresh) - 2 * std::log(1000.0), plain) < 1e-12);
  // Moved, the columns' own zero no longer tells where they crowd.
  CHECK(std::abs(nll(1000 * x + 51, 1000 * fresh + 51) - 2 * std::log(1000.0) - plain) < 0.05);
  options.marginal_layer = false;
  CHECK(nll(bent, fresh_bent) - shift - plain > 0.03);
}

TEST_CASE("the unit of the data changes nothing but a constant") {
  const arma::mat x = rows(800, 3);
  const arma::mat fresh = rows(500, 3, 2);
  GfOptions options = quick();
  options.marginal_layer = false;
  const double plain = -arma::mean(log_density(fit_gf(x, options).flow, fresh));
  const double moved = -arma::mean(log_density(fit_gf(1000 * x + 51, options).flow, 1000 * fresh + 51));
  CHECK(testing::relative_error(moved - 3 * std::log(1000.0), plain) < 1e-12);
}

TEST_CASE("mistakes are named") {
  const arma::mat x = rows(100, 3);
  const auto refuses = [&](auto change, const char* words) {
    GfOptions options = quick();
    change(options);
    CHECK_THROWS_WITH_AS(fit_gf(x, options), doctest::Contains(words), std::invalid_argument);
  };
  refuses([](GfOptions& o) { o.rotations = RotationLayout::patch; }, "not a square");
  refuses([](GfOptions& o) { o.average_decay = 1; }, "average_decay");
  refuses([](GfOptions& o) { o.schedule.learning_rate = -1; }, "learning rate");
  refuses([](GfOptions& o) { o.clip_norm = -1; }, "clip_norm");
  refuses([](GfOptions& o) { o.marginals_per_rotation = 0; }, "marginals_per_rotation");
  CHECK_THROWS_WITH_AS(fit_gf(x, x.head_cols(2), quick()), doctest::Contains("3 training and 2 validation"),
                       std::invalid_argument);
  arma::mat bad = x;
  bad(4, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(fit_gf(bad, quick()), doctest::Contains("row 4, column 2"), std::invalid_argument);
  bad.col(2).fill(1);
  CHECK_THROWS_WITH_AS(fit_gf(bad, quick()), doctest::Contains("column 2 is constant"), DataError);
}

TEST_CASE("options chosen from the data's size are sensible") {
  for (const std::size_t n : {2, 50, 1000, 100000, 10000000})
    for (const std::size_t d : {1, 2, 10, 1000}) {
      const GfOptions o = resolve({}, n, d);
      CHECK(o.layers >= 1);
      CHECK(o.anchors >= 4);
      CHECK(o.first_anchors >= o.anchors);
      CHECK(o.batch <= std::max<std::size_t>(n, 1));
      CHECK(o.epochs >= 10);
      CHECK_NOTHROW(check_options(o, d));
    }
}

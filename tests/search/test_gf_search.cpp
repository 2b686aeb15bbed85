#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/search/detail/gf_candidates.hpp"
#include "gaussianize/search/gf_search.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

constexpr GfSearchOptions little{.effort = 0.05};
/// Without the start from RBIG, which takes most of the time with few rows.
constexpr GfSearchOptions no_rbig{.effort = 0.05, .from_rbig = false};

arma::mat rows(std::size_t n, std::size_t dimension, std::uint64_t seed) {
  return draw(KnownDistribution::sine_chain, n, dimension, Seed{seed}).x;
}

arma::mat normal_rows(std::size_t n, std::size_t dimension, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  return random_normal(n, dimension, stream);
}

double nll(const Flow& flow, const arma::mat& x) {
  return -arma::mean(log_density(flow, x));
}

const GfCandidate& chosen(const GfSearchResult& result) {
  const GfCandidate* found = nullptr;
  for (const GfCandidate& candidate : result.candidates)
    if (candidate.chosen) {
      REQUIRE(found == nullptr);
      found = &candidate;
    }
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("the chosen candidate is the flow that is returned, and its loss the flow's own") {
  const arma::mat x = rows(600, 3, 1), validation = rows(500, 3, 2);
  const GfSearchResult result = search_gf(x, validation, {}, little);
  CHECK(result.folds == 1);
  CHECK(result.evaluation_rows == 500);
  const GfCandidate& best = chosen(result);
  CHECK(best.trained);
  CHECK(std::abs(best.held_out_nll.value - nll(result.fit.flow, validation)) < 1e-9);
  CHECK(std::abs(best.held_out_nll.value - result.fit.validation_nll) < 1e-9);
  CHECK(best.epochs == result.fit.epochs.size());
  CHECK(nll(result.fit.flow, rows(2000, 3, 3)) < nll(fit_gaussian(x), rows(2000, 3, 3)) - 0.3);
  // Nothing that went as far is better: the others were dropped, or are simpler and worse.
  std::size_t rounds = 0;
  for (const GfCandidate& candidate : result.candidates) rounds = std::max(rounds, candidate.rounds);
  for (const GfCandidate& candidate : result.candidates) {
    CAPTURE(candidate.name);
    if (candidate.rounds == rounds || candidate.single_cycle || !candidate.trained)
      CHECK(candidate.held_out_nll.value >= best.held_out_nll.value);
  }
}

TEST_CASE("normal rows get the Gaussian") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    const arma::mat x = normal_rows(100, 4, seed), validation = normal_rows(10, 4, seed + 10);
    const GfSearchResult result = search_gf(x, validation, {}, no_rbig);
    CHECK(result.folds == 5);
    CHECK(result.evaluation_rows == 100);
    const arma::mat test = normal_rows(5000, 4, seed + 20);
    CHECK(nll(result.fit.flow, test) < nll(fit_gaussian(x), test) + 0.02);
  }
}

TEST_CASE("nearly collinear columns are whitened first or not bent") {
  arma::mat x = normal_rows(1500, 3, 1);
  x.col(2) = x.col(0) + x.col(1) + 0.001 * x.col(2);
  const arma::mat training = x.rows(0, 499), validation = x.rows(500, 999), test = x.rows(1000, 1499);
  const GfSearchResult result = search_gf(training, validation, {}, no_rbig);
  CHECK(nll(result.fit.flow, test) < nll(fit_gaussian(training), test) + 0.05);
}

TEST_CASE("a search gives the same bytes for any number of threads") {
  const arma::mat x = rows(120, 2, 1), validation = rows(30, 2, 2);
  GfOptions options{.threads = 1};
  const arma::vec expected = log_density(search_gf(x, validation, options, little).fit.flow, x);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    CHECK(same_bytes(log_density(search_gf(x, validation, options, little).fit.flow, x), expected));
  }
}

TEST_CASE("resumed from any of its checkpoints, a search ends in the same bytes") {
  for (const std::size_t held : {40, 400}) {
    CAPTURE(held);
    const arma::mat x = rows(150, 2, 1), validation = rows(held, 2, 2);
    std::vector<Checkpoint> checkpoints;
    GfOptions options{.threads = 1, .checkpoint_epochs = 3};
    options.checkpoint = [&](const Checkpoint& bundle) { checkpoints.push_back(bundle); };
    const GfSearchResult whole = search_gf(x, validation, options, no_rbig);
    const arma::vec expected = log_density(whole.fit.flow, x);
    REQUIRE(checkpoints.size() > 10);
    const std::vector<Checkpoint> saved = std::move(checkpoints);
    options.checkpoint = {};
    // The first, the last and some between: within rounds, between them, in one go and in the last training.
    for (const std::size_t i : {std::size_t{0}, saved.size() / 3, 2 * saved.size() / 3, 9 * saved.size() / 10,
                                saved.size() - 2, saved.size() - 1}) {
      CAPTURE(i);
      CHECK(is_search_checkpoint(saved[i]));
      const GfSearchResult rest = resume_search_gf(x, validation, options, no_rbig, saved[i]);
      CHECK(same_bytes(log_density(rest.fit.flow, x), expected));
      CHECK(rest.fit.epochs.size() == whole.fit.epochs.size());
      CHECK(chosen(rest).name == chosen(whole).name);
      CHECK(rest.fit.best_epoch == whole.fit.best_epoch);
      CHECK(rest.fit.training_nll == whole.fit.training_nll);
      for (std::size_t c = 0; c < whole.candidates.size(); ++c)
        CHECK(rest.candidates[c].held_out_nll.value == whole.candidates[c].held_out_nll.value);
    }
    options.seed = Seed{1};
    CHECK_THROWS_WITH_AS(resume_search_gf(x, validation, options, no_rbig, saved[3]), doctest::Contains("another fit"),
                         std::invalid_argument);
    Checkpoint damaged = saved.back();
    damaged.tensors.erase("alive");
    options.seed = Seed{};
    CHECK_THROWS_WITH_AS(resume_search_gf(x, validation, options, no_rbig, damaged), doctest::Contains("lacks 'alive'"),
                         std::invalid_argument);
  }
}

TEST_CASE("what is given is not searched") {
  const GfOptions options{.layers = 3, .anchors = 6};
  for (const GfCandidate& candidate : gf_candidates(options, {.marginal_layer = false, .from_rbig = false}, 1000, 4)) {
    CAPTURE(candidate.name);
    CHECK_FALSE(candidate.options.marginal_layer);
    CHECK_FALSE(candidate.from_rbig);
    if (candidate.trained) CHECK(candidate.options.layers == 3);
    if (candidate.trained) CHECK(candidate.options.anchors == 6);
  }
  // A deep flow is trained in one go where that is little work.
  const auto single_cycle = [](std::size_t rows, std::size_t dimension) {
    std::size_t number = 0;
    for (const GfCandidate& candidate : gf_candidates({}, {}, rows, dimension))
      number += candidate.single_cycle ? 1 : 0;
    return number;
  };
  CHECK(single_cycle(9000, 2) == 2);
  CHECK(single_cycle(9000, 1) == 0);
  CHECK(single_cycle(900000, 2) == 0);
  // Wide tables get fewer candidates, but never none.
  std::size_t trained = 0;
  for (const GfCandidate& candidate : gf_candidates({}, {}, 1000000, 2000)) trained += candidate.trained ? 1 : 0;
  CHECK(trained == 1);
}

TEST_CASE("a search holds out rows by itself") {
  const arma::mat x = rows(200, 2, 1);
  const GfSearchResult result = search_gf(x, GfOptions{.layers = 2, .epochs = 2, .validation_fraction = 0.2}, no_rbig);
  CHECK(result.fit.training_rows == 160);
  CHECK(result.fit.validation_rows == 40);
  CHECK(search_gf(x, GfOptions{.layers = 2, .epochs = 2, .validation_fraction = 0}, no_rbig).fit.validation_rows == 1);
  CHECK_THROWS_WITH_AS(search_gf(x.head_rows(2), GfOptions{}, no_rbig), doctest::Contains("at least 3"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(search_gf(x, GfOptions{.validation_fraction = 1}, no_rbig), doctest::Contains("[0, 1)"),
                       std::invalid_argument);
}

TEST_CASE("stopped by the callback, a search returns what it had; without validation rows it refuses") {
  const arma::mat x = rows(200, 2, 1), validation = rows(50, 2, 2);
  std::size_t calls = 0;
  GfOptions options{.threads = 1};
  options.progress = [&](const Progress& p) {
    CHECK(p.done <= p.total);
    CHECK(p.stage.find("; epoch ") != std::string::npos);
    CHECK(p.loss.has_value());
    CHECK_FALSE(p.seconds_left.has_value());
    return ++calls < 5;
  };
  const GfSearchResult result = search_gf(x, validation, options, no_rbig);
  CHECK(result.fit.stop_reason == GfStop::cancelled);
  CHECK(log_density(result.fit.flow, x).is_finite());
  CHECK_THROWS_WITH_AS(search_gf(x, arma::mat(), {}), doctest::Contains("no validation rows"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(search_gf(x, validation, {}, {.effort = 0}), doctest::Contains("effort"), std::invalid_argument);
}

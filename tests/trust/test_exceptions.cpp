// Whatever matrix a caller hands in, every function of the library returns or throws one of the types that its headers
// name. Armadillo's own exceptions, and those of the standard containers, never get out.

#include <functional>
#include <limits>
#include <new>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/info/decompose.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/info/model_implied.hpp"
#include "gaussianize/info/normality.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// The type of an exception that no header names; empty if the action returns or throws one that is named.
std::string undocumented(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument&) {
  } catch (const DataError&) {
  } catch (const FileError&) {
  } catch (const NumericalError&) {
  } catch (const Cancelled&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
  return {};
}

using Case = std::pair<std::string, arma::mat>;

arma::mat with(double value, arma::uword row, arma::uword column) {
  arma::mat x = draw(KnownDistribution::sine_chain, 40, 3, Seed{2}).x;
  x(row, column) = value;
  return x;
}

std::vector<Case> matrices() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const arma::mat x = draw(KnownDistribution::sine_chain, 40, 3, Seed{1}).x;
  arma::mat constant = x, twins = x;
  constant.col(1).fill(7);
  twins.col(2) = twins.col(0);
  return {{"fine", x},
          {"nothing", {}},
          {"no rows", arma::mat(0, 3)},
          {"no columns", arma::mat(5, 0)},
          {"one number", arma::mat(1, 1, arma::fill::zeros)},
          {"one row", x.row(0)},
          {"two rows", x.head_rows(2)},
          {"three rows", x.head_rows(3)},
          {"one column", x.col(0)},
          {"too many columns", arma::join_rows(x, x.col(0) + x.col(1))},
          {"NaN", with(nan, 3, 1)},
          {"infinity", with(inf, 0, 0)},
          {"minus infinity", with(-inf, 39, 2)},
          {"constant column", constant},
          {"all zero", arma::mat(20, 3, arma::fill::zeros)},
          {"all subnormal", 1e-310 * x},
          {"all enormous", x / arma::abs(x).max() * 1.7e308},
          {"one enormous", with(1.7e308, 5, 0)},
          {"far out", with(1e10, 5, 0)},
          {"tiny spread", 1e9 + 1e-7 * x},
          {"collinear", twins},
          {"equal rows", arma::repmat(x.row(0), 30, 1)},
          {"fewer rows than columns", arma::mat(x.t()).head_rows(3)}};
}

using Function = std::pair<std::string, std::function<void(const arma::mat&)>>;

std::vector<Function> fits() {
  return {{"fit_gaussian", [](const arma::mat& x) { fit_gaussian(x, 1); }},
          {"fit_rbig", [](const arma::mat& x) { fit_rbig(x, {.max_layers = 3, .threads = 1}); }},
          {"fit_rbig, ICA",
           [](const arma::mat& x) { fit_rbig(x, {.rotation = RotationKind::ica, .max_layers = 2, .threads = 1}); }},
          {"fit_gf",
           [](const arma::mat& x) { fit_gf(x, {.layers = 2, .anchors = 4, .batch = 10, .epochs = 2, .threads = 1}); }},
          {"fit_gf, validation rows", [](const arma::mat& x) {
             fit_gf(draw(KnownDistribution::sine_chain, 40, 3, Seed{9}).x, x, {.layers = 1, .epochs = 1, .threads = 1});
           }}};
}

std::vector<Function> uses(const Flow& flow) {
  return {{"forward", [&](const arma::mat& x) { forward(flow, x, {.threads = 1}); }},
          {"inverse", [&](const arma::mat& x) { inverse(flow, x, {.threads = 1}); }},
          {"log_density", [&](const arma::mat& x) { log_density(flow, x, {.threads = 1}); }},
          {"kl_trace", [&](const arma::mat& x) { kl_trace(flow, x); }},
          {"model_implied", [&](const arma::mat& x) { model_implied(flow, x); }},
          {"test_normality", [](const arma::mat& x) { test_normality(x, 1); }}};
}

std::vector<Function> measures() {
  const arma::mat other = draw(KnownDistribution::sine_chain, 40, 3, Seed{3}).x;
  std::vector<Function> all{
      {"marginal_entropy", [](const arma::mat& x) { marginal_entropy(x); }},
      {"marginal_negentropy", [](const arma::mat& x) { marginal_negentropy(x); }},
      {"column_information", [](const arma::mat& x) { column_information(x); }},
      {"pairwise_mutual_information",
       [](const arma::mat& x) { pairwise_mutual_information(x, {.permutations = 9, .threads = 1}); }},
      {"local_total_correlation",
       [](const arma::mat& x) { local_total_correlation(x, {.permutations = 0, .threads = 1}); }},
      {"decompose", [](const arma::mat& x) { decompose(x, {.permutations = 0, .threads = 1}); }}};
  for (const MeasureMethod method : {MeasureMethod::automatic, MeasureMethod::gaussian_copula, MeasureMethod::rbig,
                                     MeasureMethod::nearest_neighbour}) {
    const MeasureOptions options{.method = method, .permutations = 9, .threads = 1};
    const std::string by = std::string(", ") + std::string(name(method));
    all.emplace_back("total_correlation" + by, [options](const arma::mat& x) { total_correlation(x, options); });
    all.emplace_back("joint_entropy" + by, [options](const arma::mat& x) { joint_entropy(x, options); });
    all.emplace_back("mutual_information" + by,
                     [options, other](const arma::mat& x) { mutual_information(x, other, options); });
    all.emplace_back("conditional_mutual_information" + by, [options, other](const arma::mat& x) {
      conditional_mutual_information(x, other.col(0), other.col(1), options);
    });
    all.emplace_back("divergence" + by, [options, other](const arma::mat& x) { divergence(x, other, options); });
  }
  return all;
}

void check_all(const std::vector<Function>& functions) {
  std::size_t calls = 0;
  for (const Case& rows : matrices())
    for (const Function& function : functions) {
      CAPTURE(rows.first);
      CAPTURE(function.first);
      CHECK(undocumented([&] { function.second(rows.second); }) == "");
      ++calls;
    }
  MESSAGE(calls << " calls ended in a result or a documented exception");
}

}  // namespace

TEST_CASE("the checker knows which types are documented") {
  CHECK(undocumented([] { throw DataError("x"); }) == "");
  CHECK(undocumented([] { require(false, "x"); }) == "");
  CHECK(undocumented([] { throw std::logic_error("x"); }) != "");
  CHECK(undocumented([] { std::vector<int>().at(1); }) != "");
  CHECK(undocumented([] { throw 1; }) != "");
}

TEST_CASE("fits throw what they say, whatever the rows") {
  check_all(fits());
}

TEST_CASE("flows throw what they say, whatever the rows") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 300, 3, Seed{1}).x;
  check_all(uses(fit_rbig(x, {.max_layers = 4}).flow));
  check_all(uses(fit_gf(x, {.layers = 2, .anchors = 5, .epochs = 2}).flow));
  check_all(uses(Flow{}));
}

TEST_CASE("measures throw what they say, whatever the rows") {
  check_all(measures());
}

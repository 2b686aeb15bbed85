// Numbers that are legal and unkind, one test each, through both fits: densities stay finite on training rows, held-out
// rows and draws, the way there and back ends where it began, and a saved model says the same. Texts and files that are
// no tables have their tests in tests/io. test_hostile_program.py and test_hostile_numbers.py go through the program.

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/model_file.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "io/temporary_folder.hpp"
#include "support/bytes.hpp"
#include "support/draws.hpp"
#include "support/messages.hpp"
#include "trust/hostile_columns.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::contains;
using gaussianize::testing::data_error;
using gaussianize::testing::each;
using gaussianize::testing::message_of;
using gaussianize::testing::normals;
using gaussianize::testing::same_bytes;
using gaussianize::testing::TemporaryFolder;
using gaussianize::testing::with_column;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

const RbigOptions rbig_options{.max_layers = 4, .report_rows = 0, .threads = 1};
const GfOptions gf_options{.layers = 3, .anchors = 6, .first_anchors = 20, .batch = 100, .epochs = 4, .threads = 1};

/// The largest |there and back − x| in units of what may be lost: 1e-12 of the column's own scale, and the last bits of
/// the number itself.
double round_trip(const Flow& flow, const arma::mat& x, double tolerance = 1e-12) {
  const arma::mat again = inverse(flow, forward(flow, x, {.threads = 1}).z, {.threads = 1});
  const auto& standard = std::get<AffineMarginal>(flow.layers[0].marginal);
  double worst = 0;
  for (arma::uword d = 0; d < x.n_cols; ++d)
    for (arma::uword i = 0; i < x.n_rows; ++i) {
      const double allowed = tolerance * standard.scale[d] + 8 * epsilon * std::abs(x(i, d)) + least;
      const double error = std::abs(again(i, d) / allowed - x(i, d) / allowed);
      worst = std::isfinite(error) ? std::max(worst, error) : infinity;
    }
  return worst;
}

void check_flow(const Flow& flow, const std::string& kind, const arma::mat& training, const arma::mat& held_out) {
  CAPTURE(kind);
  const arma::vec trained = log_density(flow, training, {.threads = 1});
  const arma::vec held = log_density(flow, held_out, {.threads = 1});
  CHECK(trained.is_finite());
  CHECK(held.is_finite());
  // Independent normal columns are where both fits begin: none may end far below.
  const Flow standard{flow.dimension, {flow.layers[0]}};
  const double start = arma::mean(log_density(standard, held_out, {.threads = 1}));
  CHECK(arma::mean(held) > start - static_cast<double>(flow.dimension));
  CHECK(round_trip(flow, training) <= 1);
  CHECK(round_trip(flow, held_out) <= 1);
  CHECK(sample(flow, 100, Seed{1}, {.threads = 1}).is_finite());
  const TemporaryFolder folder;
  save_model({flow, kind, {}, {}, {}, {}}, folder.path / "m");
  const Flow loaded = load_model(folder.path / "m").flow;
  CHECK(same_bytes(log_density(loaded, held_out, {.threads = 1}), held));
  CHECK(round_trip(loaded, held_out) <= 1);
}

Flow rbig(const arma::mat& training, const arma::mat& held_out) {
  return fit_rbig(training, held_out, rbig_options).flow;
}

Flow gf(const arma::mat& training, const arma::mat& held_out) {
  return fit_gf(training, held_out, gf_options).flow;
}

void check_fits(const arma::mat& training, const arma::mat& held_out) {
  check_flow(rbig(training, held_out), "rbig", training, held_out);
  check_flow(gf(training, held_out), "gf", training, held_out);
}

/// The second of three dependent columns is as `column` makes it.
template <class Column>
void check_column(Column column) {
  check_fits(with_column(300, Seed{1}, column), with_column(200, Seed{2}, column));
}

}  // namespace

TEST_CASE("NaN and infinities are refused with row and column") {
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    arma::mat x = normals(40, 3, 1);
    x(17, 1) = bad;
    const std::string where = concat("row 17, column 1 is ", bad, "; remove or replace values that are not finite");
    CHECK(message_of<std::invalid_argument>([&] { rbig(x, arma::mat(1, 3)); }) == "fit_rbig: " + where);
    CHECK(message_of<std::invalid_argument>([&] { gf(x, arma::mat(1, 3)); }) == "fit_gf: " + where);
    const Flow flow = fit_gaussian(normals(40, 3, 2), 1);
    CHECK(message_of<std::invalid_argument>([&] { log_density(flow, x); }) == "log_density: " + where);
    CHECK(message_of<std::invalid_argument>([&] { inverse(flow, x); }) == "inverse: " + where);
  }
}

TEST_CASE("a constant column is refused by its index, whatever it holds") {
  for (const double value : {0.0, -0.0, 0.1, 1e308, least}) {
    arma::mat x = normals(40, 3, 1);
    x.col(1).fill(value);
    if (value == 0) x(3, 1) = -value;  // zeros of both signs are one value
    CHECK(contains(data_error([&] { rbig(x, x); }), "column 1 is constant"));
    CHECK(contains(data_error([&] { gf(x, x); }), "column 1 is constant"));
  }
}

TEST_CASE("one row is refused") {
  const arma::mat x(1, 3, arma::fill::ones);
  CHECK(contains(message_of<std::invalid_argument>([&] { rbig(x, x); }), "1 × 3 data; at least 2 rows"));
  CHECK(contains(message_of<std::invalid_argument>([&] { gf(x, x); }), "1 × 3 data; at least 2 rows"));
}

TEST_CASE("a column near 1e9 that differs in its last bits") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return 1e9 + 1e-7 * v; }); });
}

TEST_CASE("numbers to ±1e308") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return 1e308 * std::tanh(v); }); });
}

TEST_CASE("two values, ±1e308") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return v > 0 ? 1e308 : -1e308; }); });
}

TEST_CASE("subnormal numbers") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return 1e-310 * v; }); });
}

TEST_CASE("the smallest number and zero") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return v > 0.2 ? least : 0.0; }); });
}

TEST_CASE("zeros of both signs") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return v > 0.5 ? v : v > 0 ? 0.0 : -0.0; }); });
}

TEST_CASE("Cauchy tails") {
  check_column([](const arma::vec& u) {
    return each(u, [](double v) { return std::tan(1.5707 * std::erf(v / std::sqrt(2.5))); });
  });
}

TEST_CASE("one outlier at 1e10") {
  arma::mat x = with_column(300, Seed{1}, [](const arma::vec& u) { return u; });
  x(17, 1) = 1e10;
  check_fits(x, with_column(200, Seed{2}, [](const arma::vec& u) { return u; }));
}

TEST_CASE("a point mass and a density") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return std::max(v, 0.0); }); });
}

TEST_CASE("years around 2000") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return std::round(2000 + 8 * v); }); });
}

TEST_CASE("integers") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return std::floor(std::exp(v)); }); });
}

TEST_CASE("a binary column") {
  check_column([](const arma::vec& u) { return each(u, [](double v) { return v > 0.5 ? 1.0 : 0.0; }); });
}

TEST_CASE("nothing but binary columns") {
  const auto binary = [](Seed seed, std::size_t n) {
    return arma::conv_to<arma::mat>::from(normals(n, 3, seed.value) > 0.3);
  };
  check_fits(binary(Seed{1}, 300), binary(Seed{2}, 200));
}

TEST_CASE("half of the rows twice") {
  arma::mat x = with_column(300, Seed{1}, [](const arma::vec& u) { return u; });
  x.tail_rows(150) = x.head_rows(150);
  check_fits(x, with_column(200, Seed{2}, [](const arma::vec& u) { return u; }));
}

TEST_CASE("one column") {
  check_fits(normals(300, 1, 1), normals(200, 1, 2));
}

TEST_CASE("two rows") {
  check_fits(normals(2, 3, 1), normals(1, 3, 2));
}

TEST_CASE("a column twice") {
  check_fits(arma::join_rows(normals(300, 2, 1), normals(300, 2, 1)),
             arma::join_rows(normals(200, 2, 2), normals(200, 2, 2)));
}

TEST_CASE("collinear columns") {
  const auto collinear = [](std::size_t n, Seed seed) {
    const arma::mat x = normals(n, 2, seed.value);
    return arma::mat(arma::join_rows(x, 3 * x.col(0) - 2 * x.col(1), 1e6 * x.col(1)));
  };
  check_fits(collinear(300, Seed{1}), collinear(200, Seed{2}));
}

TEST_CASE("fewer rows than columns") {
  check_fits(normals(12, 30, 1), normals(5, 30, 2));
}

TEST_CASE("ten thousand columns") {
  const arma::mat x = normals(8, 10'000, 1);
  const arma::mat held_out = normals(2, 10'000, 2);
  RbigOptions one_layer = rbig_options;
  one_layer.max_layers = 1;  // a second one would begin with a matrix of 800 MB
  one_layer.first_bandwidth = BandwidthRule::rule_of_thumb;
  one_layer.stop = StoppingRule::fixed;
  check_flow(fit_rbig(x, held_out, one_layer).flow, "rbig", x, held_out);
  const GfOptions narrow{.layers = 2,
                         .anchors = 4,
                         .first_anchors = 4,
                         .reflections = 2,
                         .marginal_layer = false,
                         .epochs = 1,
                         .threads = 1};
  check_flow(fit_gf(x, held_out, narrow).flow, "gf", x, held_out);
}

TEST_CASE("rows far outside: finite to 1e150 scales, there and back, and an error with the row beyond") {
  const arma::mat x = normals(300, 2, 1);
  RbigOptions deep = rbig_options;
  deep.stop = StoppingRule::fixed;
  deep.max_layers = 20;
  for (const Flow& flow : {fit_rbig(x, arma::mat(), deep).flow, gf(x, x), fit_gaussian(x, 1)})
    for (const double sign : {-1.0, 1.0}) {
      for (const double far : {1e3, 1e6, 1e10, 1e50, 1e100, 1e150}) {
        CAPTURE(far);
        const arma::mat row{{sign * far, far}};
        CHECK(log_density(flow, row, {.threads = 1}).is_finite());
        CHECK(log_density(flow, row)[0] < -40);
        CHECK(round_trip(flow, row, 5e-12 * far) <= 1);
      }
      arma::mat rows(300, 2, arma::fill::zeros);
      rows(290, 1) = sign * 1.79e308;
      const std::string message = message_of<NumericalError>([&] { log_density(flow, rows, {.threads = 1}); });
      CHECK(contains(message, "too far from the data that were fitted"));
      CHECK(contains(message, "row 290)"));
    }
}

TEST_CASE("a German locale changes no byte of a model") {
  struct German : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const arma::mat x = normals(1500, 2, 1);
  const TemporaryFolder folder;
  const auto save = [&](const char* name) {
    const Model model{rbig(x, x), "rbig", {"a", "b"}, {{"rows", std::to_string(x.n_rows)}}, {}, {-1234.5, 0.25}};
    save_model(model, folder.path / name);
  };
  save("plain");
  const std::locale former = std::locale::global(std::locale(std::locale::classic(), new German));
  save("german");
  const Model loaded = load_model(folder.path / "plain");
  std::locale::global(former);
  CHECK(read_file(folder.path / "plain") == read_file(folder.path / "german"));
  CHECK(loaded.calibration == std::vector<double>{-1234.5, 0.25});
}

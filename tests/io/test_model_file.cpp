#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/marginal/kde.hpp"

#include "io/small_model.hpp"
#include "io/temporary_folder.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// What check reports of a spline; nothing if it is valid.
std::string problem_of(const MonotoneSpline& spline) {
  try {
    check(spline);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a model comes back from its file to the last bit, and saves to the same bytes again") {
  const TemporaryFolder folder;
  for (const std::size_t dimension : {1, 2, 3, 17}) {
    CAPTURE(dimension);
    const Model model = small_model(dimension);
    save_model(model, folder.path / "one");
    const Model loaded = load_model(folder.path / "one");
    CHECK(same_bits(model, loaded));
    save_model(loaded, folder.path / "two");
    CHECK(read_file(folder.path / "one") == read_file(folder.path / "two"));
    CHECK(folder.entries() == 2);
  }
}

TEST_CASE("models without layers, with many, and with every pairing of halves round trip") {
  Model model;
  model.flow.dimension = 4;
  CHECK(same_bits(model, decode_model(encode_model(model), "x")));
  for (int i = 0; i < 40; ++i) {
    model.flow.layers.push_back({Identity{}, splines(4)});
    model.flow.layers.push_back({Orthogonal{orthogonal(4)}, affine(4)});
    // A flow that differs from layer to layer, so that no two can be mistaken.
    std::get<AffineMarginal>(model.flow.layers.back().marginal).shift[2] = i;
  }
  CHECK(same_bits(model, decode_model(encode_model(model), "x")));
  CHECK(layer_tensor(3, "rotation.q") == "layer.0003.rotation.q");
  CHECK(layer_tensor(12345, "rotation.q") == "layer.12345.rotation.q");
}

TEST_CASE("fitted splines are valid, and round trip") {
  arma::mat x(500, 3);
  for (std::size_t i = 0; i < x.n_rows; ++i) {
    const double u = (static_cast<double>(i) + 0.5) / 500;
    x(i, 0) = normal_quantile(u);
    x(i, 1) = 1e6 + 1e-3 * std::tan(3.1 * (u - 0.5));                // heavy tails, far from 0
    x(i, 2) = (i % 2 == 0 ? -50.0 : 50.0) + 1e-2 * std::sin(7 * u);  // a wide gap
  }
  Model model;
  model.flow = {3, {{Identity{}, fit_kde(x)}}};
  CHECK_NOTHROW(check(model));
  CHECK(same_bits(model, decode_model(encode_model(model), "x")));
}

TEST_CASE("signed zeros, subnormal and extreme numbers are kept") {
  Model model;
  AffineMarginal marginal{{-0.0, 5e-324, -1.7976931348623157e308}, {5e-324, 1.7976931348623157e308, 0.1}};
  model.flow = {3, {{Identity{}, marginal}}};
  CHECK(same_bits(model, decode_model(encode_model(model), "x")));
}

TEST_CASE("a model that could not be loaded is not saved") {
  const TemporaryFolder folder;
  const auto path = folder.path / "m";
  const auto refused = [&](auto change) {
    Model model = small_model();
    change(model);
    CHECK_THROWS_AS(save_model(model, path), std::invalid_argument);
  };
  refused([](Model& m) { m.flow.dimension = 0; });
  refused([](Model& m) { m.flow.dimension = 3; });
  refused([](Model& m) { m.columns.pop_back(); });
  refused([](Model& m) { m.calibration = {1.0, 0.5}; });
  refused([](Model& m) { m.calibration = {1.0, std::numeric_limits<double>::infinity()}; });
  refused([](Model& m) { m.columns[0] = "caf\xE9"; });
  refused([](Model& m) { m.kind = "\xFF"; });
  refused([](Model& m) { m.options["\xFF"] = ""; });
  refused([](Model& m) { std::get<AffineMarginal>(m.flow.layers[0].marginal).scale[1] = 0; });
  refused([](Model& m) { std::get<AffineMarginal>(m.flow.layers[0].marginal).scale.resize(1); });
  refused([](Model& m) { std::get<Orthogonal>(m.flow.layers[1].rotation).q(0, 1) = arma::datum::nan; });
  refused([](Model& m) { std::get<Orthogonal>(m.flow.layers[1].rotation).q.resize(2, 3); });
  refused([](Model& m) { std::get<SplineMarginal>(m.flow.layers[1].marginal).columns.pop_back(); });
  CHECK(folder.entries() == 0);
}

TEST_CASE("every rule of a spline is checked") {
  const auto problem = [](auto change) {
    MonotoneSpline spline = small_spline(0.25);
    change(spline);
    return problem_of(spline);
  };
  using T = MonotoneSpline;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(problem([](T&) {}) == "");
  CHECK(contains(problem([](T& t) { t.lower.rate = 0; }), "lower.rate"));
  CHECK(contains(problem([](T& t) { t.upper.rate = inf; }), "upper.rate"));
  CHECK(contains(problem([](T& t) { t.lower.shape = -0.1; }), "lower.shape"));
  CHECK(contains(problem([](T& t) { t.upper.shape = nan; }), "upper.shape"));
  CHECK(contains(problem([](T& t) { t.lower.log_mass = 0; }), "lower.log_mass"));
  CHECK(contains(problem([](T& t) { t.upper.log_mass = nan; }), "upper.log_mass"));
  CHECK(contains(problem([](T& t) { t.upper.log_mass -= 1e-4; }), "upper.log_mass does not meet"));
  CHECK(contains(problem([](T& t) { t.lower.log_mass -= 1e-4; }), "lower.log_mass does not meet"));
  CHECK(contains(problem([](T& t) { t.bandwidth = -1; }), "bandwidth"));
  CHECK(contains(problem([](T& t) { t.shrinkage = 1.0000001; }), "shrinkage"));
  CHECK(contains(problem([](T& t) { t.shrinkage = nan; }), "shrinkage"));
  CHECK(contains(problem([](T& t) { t.shift = inf; }), "shift"));
  CHECK(contains(problem([](T& t) { t.scale = 0; }), "scale"));

  CHECK(contains(problem([](T& t) { t.position[3] = nan; }), "position[3] is nan"));
  CHECK(contains(problem([](T& t) { t.position[3] = t.position[2]; }), "position[3] is not above"));
  CHECK(contains(problem([](T& t) { t.position[3] += 1e-3; }), "does not match the cells of segment 0"));
  CHECK(contains(problem([](T& t) { t.value[4] = inf; }), "value[4]"));
  CHECK(contains(problem([](T& t) { t.value[4] = t.value[3] - 1e-9; }), "value[4] is below"));
  CHECK(contains(problem([](T& t) { t.slope[1] = 0; }), "slope[1]"));
  CHECK(contains(problem([](T& t) { t.slope[2] = 5; }), "slope[2] lets the curve fall"));
  CHECK(contains(problem([](T& t) { t.slope.pop_back(); }), "slope has 6"));

  CHECK(contains(problem([](T& t) { t.segments.clear(); }), "segment"));
  CHECK(contains(problem([](T& t) { t.main_segment = 2; }), "main_segment"));
  CHECK(contains(problem([](T& t) { t.segments[1].cell_width = 0; }), "segments[1] has cells of"));
  CHECK(contains(problem([](T& t) { t.segments[1].begin = nan; }), "segments[1] has cells of"));
  CHECK(contains(problem([](T& t) { t.segments[1].begin += 0.01; }), "segment 1"));
  CHECK(contains(problem([](T& t) { t.segments[1].first_cell = 1; }), "segments[1]: its 2 cells"));
  CHECK(contains(problem([](T& t) { t.segments[1].cells = UINT64_MAX; }), "segments[1] has"));
  CHECK(contains(problem([](T& t) { t.segments[1].cells = 0; }), "segments[1] has"));
  CHECK(contains(problem([](T& t) {
                   t.segments.pop_back();
                   t.main_segment = 0;
                 }),
                 "cell_knot has 4 cells"));
  CHECK(contains(problem([](T& t) { t.cell_knot[3] = 6; }), "cell_knot[3] is 6"));
  CHECK(contains(problem([](T& t) { t.cell_level[3] = 5; }), "cell_level[3] is 5"));
  CHECK(contains(problem([](T& t) { t.cell_level[3] = 4; }), "position has 7 knots; the cells need more"));
  CHECK(contains(problem([](T& t) { t.cell_level.pop_back(); }), "cell_level has 3"));
}

TEST_CASE("a cubic is refused exactly if it falls somewhere") {
  // One piece from (−½, −rise/2) to (½, rise/2) with all pairs of end slopes, against a fine look at its derivative.
  int accepted = 0, refused = 0;
  for (double a = 0.05; a < 4.5; a += 0.1)
    for (double b = 0.05; b < 4.5; b += 0.1) {
      double least = HUGE_VAL;
      for (int i = 0; i <= 2000; ++i) {
        const double s = i / 2000.0;
        least = std::min(least, a + s * (2 * (3 - 2 * a - b) + s * 3 * (a + b - 2)));
      }
      MonotoneSpline spline;
      spline.position = {-0.5, 0.5};
      spline.value = {-0.5, 0.5};
      spline.slope = {a, b};
      spline.segments = {{-0.5, 1.0, 0, 1}};
      spline.cell_knot = {0};
      spline.cell_level = {0};
      spline.lower.log_mass = spline.upper.log_mass = log_normal_cdf(-0.5);
      const bool valid = problem_of(spline).empty();
      if (std::abs(least) > 1e-6) CHECK(valid == (least > 0));
      ++(valid ? accepted : refused);
    }
  CHECK(accepted > 500);
  CHECK(refused > 500);
}

TEST_CASE("files that are not models are refused, each with its own message") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    write_file_atomically(folder.path / "m", std::as_bytes(std::span(text)));
    return file_error([&] { load_model(folder.path / "m"); });
  };
  CHECK(contains(file_error([&] { load_model(folder.path / "none"); }), "No such file"));
  CHECK(contains(file_error([&] { load_model(folder.path); }), "is a folder"));
  CHECK(contains(message(""), (folder.path / "m").string() + ": is empty"));
  CHECK(contains(message("x,y\n1,2\n3,4\n"), "not a safetensors file"));
  CHECK(contains(message(std::string("\2\0\0\0\0\0\0\0{}", 10)), "not a gaussianize model"));
}

TEST_CASE("a failed save leaves the earlier model") {
  const TemporaryFolder folder;
  const auto path = folder.path / "m";
  save_model(small_model(), path);
  CHECK(contains(file_error([&] { save_model(small_model(), path / "below"); }), "Not a directory"));
  CHECK(same_bits(load_model(path), small_model()));
  CHECK(folder.entries() == 1);
}

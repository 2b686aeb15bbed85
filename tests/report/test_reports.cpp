#include <cmath>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/version.hpp"

#include "io/temporary_folder.hpp"
#include "report/example_pages.hpp"
#include "report/markup.hpp"
#include "report/picture.hpp"
#include "report/text.hpp"
#include "support/messages.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::count;
using namespace gaussianize::report;
using namespace gaussianize::report::testing;
using gaussianize::testing::contains;
using gaussianize::testing::skipped;

namespace {

const Example& plane() {
  static const Example example = plane_example(800, 5, 2);
  return example;
}

const Example& space() {
  static const Example example = space_example(800, 5, 2);
  return example;
}

const std::vector<std::string> two{"x", "<i>y</i>"}, five{"a", "b", "c", "d", "e"};

/// Well formed, with all sections and settings, and with that many pictures, or notes that they are not drawn.
void check_page(const Report& report, std::size_t pictures) {
  CHECK(markup_fault(report.html) == "");
  CHECK(contains(report.html, "gaussianize " + std::string(version)));
  CHECK(contains(report.html, "--seed 1 --report out.html"));
  CHECK(contains(report.html, "chosen: 40"));
  CHECK(count(report.html, find_gnuplot() ? "<img " : "class=\"missing\"") == pictures);
  CHECK(report.problems.size() == (find_gnuplot() ? 0 : 1));
  CHECK(report.html.size() < 3000000);
}

}  // namespace

TEST_CASE("compare in two dimensions: densities, samples, curves, traces, quantiles and clouds") {
  const CompareInput input = compare_input(plane(), two);
  const Report report = compare_report(input);
  check_page(report, 3 + 4 + 2 + 2 + 3 + 3);
  CHECK(contains(report.html, "&lt;i&gt;y&lt;/i&gt;"));
  CHECK_FALSE(contains(report.html, "<i>"));
  const Estimate nll = input.models[2].test_nll;
  std::vector<Estimate> all;
  for (const Model& m : input.models) all.push_back(m.test_nll);
  CHECK(contains(report.html, with_error(nll, decimals_for(all))));
  CHECK(contains(report.html, fixed(nll.value / (2 * std::log(2.0)), decimals_for(all))));
  CHECK(report.html == compare_report(input).html);
}

TEST_CASE("compare in five dimensions: scatter matrices of the models other than the baseline") {
  check_page(compare_report(compare_input(space(), five)), 2 + 2 + 2 + 3 + 2);
}

TEST_CASE("diagnose: the decomposition, pairs, and both models' layers") {
  const Report report = diagnose_report(diagnose_input(space(), five));
  check_page(report, 1 + 2 + 2 + 2 + 2 + 2);
  CHECK(contains(report.html, "2.310 ± 0.020"));
  CHECK(contains(report.html, "68 %"));
  CHECK(contains(report.html, "0.031"));
}

TEST_CASE("diagnose carries the caveats: bounds, ties, suspect pairs, p-values, what was learned from chance") {
  DiagnoseInput input = diagnose_input(space(), five);
  CHECK_FALSE(contains(diagnose_report(input).html, "2.271 or more"));
  input.bound = input.suspect = true;
  input.models[1].normality_p_value = 0.0123;
  input.models[1].trace->bound = true;
  input.findings = {"J of the rows: ≥ 2.31."};
  const std::string page = diagnose_report(input).html;
  for (const char* text : {"≥ 2.310 ± 0.020", "2.271 or more", "suspect", "learned from chance", "0.0712 ± 0.0110",
                           "0.012", ">68<", "J of the rows: ≥ 2.31.", "missing from every height"})
    CHECK_MESSAGE(contains(page, text), std::string(text));
  CHECK_FALSE(contains(page, "68 %"));
  CHECK(markup_fault(page) == "");
}

TEST_CASE("fit: the curve, the scores and their calibrated levels") {
  const Report report = fit_report(fit_input(plane(), two));
  check_page(report, 1 + 2 + 1 + 1 + 1 + 1 + 1);
  CHECK(contains(report.html, "share of held-out rows below"));
}

TEST_CASE("a report without gnuplot keeps its tables and says what to install") {
  const gaussianize::testing::TemporaryFolder empty;
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", empty.path.c_str(), 1);
  const Report report = compare_report(compare_input(plane(), two));
  ::setenv("PATH", before.c_str(), 1);
  REQUIRE(report.problems.size() == 1);
  CHECK(contains(report.problems[0], "gnuplot-nox"));
  CHECK(contains(report.html, "gnuplot-nox"));
  CHECK(contains(report.html, "bits per dimension"));
  CHECK(markup_fault(report.html) == "");
}

TEST_CASE("models without flow, curve or trace give a page without those parts") {
  CompareInput input{.data = {.name = "d", .columns = two}, .test = plane().test, .models = {{.name = "alone"}}};
  const Report report = compare_report(input);
  CHECK(markup_fault(report.html) == "");
  CHECK_FALSE(contains(report.html, "Divergence after each layer"));
  CHECK_FALSE(contains(report.html, "nan"));
}

TEST_CASE("a flow of other columns, or names of others, are refused") {
  CompareInput input = compare_input(plane(), two);
  input.models[0].flow = &space().gaussian;
  CHECK_THROWS_AS(compare_report(input), std::invalid_argument);
  CHECK_THROWS_AS(compare_report(compare_input(plane(), five)), std::invalid_argument);
  DiagnoseInput pairs = diagnose_input(plane(), two);
  pairs.pairs = {{0, 2, {}, 0.0}};
  CHECK_THROWS_AS(diagnose_report(pairs), std::invalid_argument);
}

TEST_CASE("pages are written complete or not at all") {
  const gaussianize::testing::TemporaryFolder folder;
  write_report({.html = "<p>x</p>"}, folder.path / "r.html");
  CHECK_THROWS_AS(write_report({}, folder.path / "none" / "r.html"), FileError);
  CHECK(folder.entries() == 1);
}

TEST_CASE("the picture of a command is drawn") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  const gaussianize::testing::TemporaryFolder folder;
  write_plot(compare_picture(compare_input(plane(), two)), folder.path / "a.svg");
  write_plot(compare_picture(compare_input(space(), five)), folder.path / "b.svg");
  write_plot(diagnose_picture(diagnose_input(space(), five)), folder.path / "c.svg");
  write_plot(fit_picture(fit_input(plane(), two)), folder.path / "d.png");
  CHECK(folder.entries() == 4);
}

TEST_CASE("curves follow the fits' reports") {
  const Curve rbig = training_curve(plane().rbig), gf = training_curve(plane().gf);
  CHECK(rbig.step == "layer");
  CHECK(rbig.kept == plane().rbig.layers_kept);
  REQUIRE(rbig.validation.size() == plane().rbig.layers.size());
  CHECK(rbig.validation.back() == plane().rbig.layers.back().validation_nll);
  CHECK(gf.step == "epoch");
  REQUIRE(gf.training.size() == 2);
  CHECK(gf.training[1] == plane().gf.epochs[1].training_loss);
}

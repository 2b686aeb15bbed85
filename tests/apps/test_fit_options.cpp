#include <set>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/gf/detail/trainer_state.hpp"

#include "fitting/option_table.hpp"
#include "fitting/options.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

const Command& fit() {
  static const Command command{.name = "fit", .summary = "", .description = "", .groups = fit_option_groups()};
  return command;
}

/// A value of the option that is not its default.
std::string another_value(const Option& option) {
  if (option.kind == OptionKind::flag) return "true";
  if (option.kind == OptionKind::count) return "7";
  if (option.kind == OptionKind::number) return "0.5";
  REQUIRE(option.choices.size() >= 2);
  return std::string(option.choices[0] == option.standard ? option.choices[1] : option.choices[0]);
}

Arguments typed(const Option& option) {
  const std::string name = "--" + std::string(option.name);
  if (option.kind == OptionKind::flag) return {fit(), {name}};
  return {fit(), {name, another_value(option)}};
}

}  // namespace

TEST_CASE("an option of a fit is declared once, and sets a field or is the program's own") {
  const std::set<std::string_view> of_the_program{"preset",     "validation-fraction", "resume",
                                                  "checkpoint", "checkpoint-seconds",  "checkpoint-epochs"};
  std::set<std::string_view> names;
  for (const FitOption& row : fit_option_table()) {
    CAPTURE(row.option.name);
    CHECK(names.insert(row.option.name).second);
    if (row.group == FitGroup::recorded) continue;
    CHECK_FALSE(row.option.help.empty());
    CHECK(row.option.help.find("{}") == std::string::npos);
    const bool sets = row.rbig.read != nullptr || row.gf.read != nullptr;
    CHECK(sets != of_the_program.contains(row.option.name));
  }
  for (const OptionGroup& group : fit_option_groups())
    for (const Option& option : group.options) CHECK(names.contains(option.name));
}

TEST_CASE("what is typed is what a model file records") {
  for (const FitOption& row : fit_option_table()) {
    if (row.group == FitGroup::recorded || (row.rbig.text == nullptr && row.gf.text == nullptr)) continue;
    CAPTURE(row.option.name);
    const std::string name(row.option.name), value = another_value(row.option);
    if (row.rbig.text != nullptr) CHECK(recorded_options(rbig_options(typed(row.option))).at(name) == value);
    if (row.gf.text != nullptr) CHECK(recorded_options(gf_options(typed(row.option))).at(name) == value);
  }
  CHECK(recorded_options(rbig_options({fit(), {"--bandwidth", "isj"}})).at("first-bandwidth") == "isj");
  CHECK(recorded_options(rbig_options({fit(), {"--seed", "9"}})).at("seed") == "9");
}

TEST_CASE("without options, a fit has the library's defaults") {
  const Arguments none(fit(), {});
  CHECK(recorded_options(rbig_options(none)) == recorded_options(RbigOptions{}));
  CHECK(recorded_options(gf_options(none)) == recorded_options(GfOptions{}));
  for (const FitOption& row : fit_option_table())
    if (row.gf.text != nullptr && row.rbig.text == nullptr && !row.option.standard.empty())
      CHECK(row.option.standard == row.gf.text(GfOptions{}));
}

TEST_CASE("a checkpoint tells apart fits that differ in any option that a model file records") {
  const arma::mat x(3, 2, arma::fill::ones);
  const std::string standard = detail::fingerprint(x, x, {});
  for (const FitOption& row : fit_option_table()) {
    if (row.gf.text == nullptr || row.group == FitGroup::recorded) continue;
    CAPTURE(row.option.name);
    CHECK(detail::fingerprint(x, x, gf_options(typed(row.option))) != standard);
  }
  CHECK(detail::fingerprint(x, x, {.seed = Seed{1}}) != standard);
}

TEST_CASE("options that imply others") {
  CHECK(gf_options({fit(), {"--patch", "7"}}).rotations == RotationLayout::patch);
  CHECK(gf_options({fit(), {"--patch", "7", "--rotations", "alternating"}}).rotations == RotationLayout::alternating);
  CHECK_FALSE(gf_options({fit(), {"--init", "rbig"}}).marginal_layer);
  CHECK(gf_search_options({fit(), {"--init", "rbig"}})->from_rbig == true);
  CHECK(gf_search_options({fit(), {"--init", "rows"}})->from_rbig == false);
  CHECK(gf_search_options({fit(), {"--no-kde-front"}})->marginal_layer == false);
  CHECK(gf_search_options({fit(), {"--whiten"}})->whitening_layer == true);
  CHECK_FALSE(gf_search_options({fit(), {}})->whitening_layer.has_value());
  CHECK_FALSE(gf_search_options({fit(), {"--epochs", "3"}}).has_value());
  CHECK_FALSE(gf_search_options({fit(), {"--no-search"}}).has_value());
}

TEST_CASE("options that match nothing are errors") {
  CHECK_THROWS_AS(Arguments(fit(), {"--no-such-option"}), UsageError);
  CHECK_THROWS_AS(Arguments(fit(), {"too-many"}), UsageError);
  CHECK_THROWS_AS(Arguments(fit(), {"--rotation", "sideways"}), UsageError);
  CHECK_THROWS_AS(check_fit_options({fit(), {"--anchors", "3"}}, "rbig"), UsageError);
  CHECK_THROWS_AS(check_fit_options({fit(), {"--kde-rows", "3"}}, "gf"), UsageError);
  CHECK_THROWS_AS(check_fit_options({fit(), {"--layers", "3"}}, "gaussian"), UsageError);
  CHECK_NOTHROW(check_fit_options({fit(), {"--layers", "3"}}, "gf"));
}

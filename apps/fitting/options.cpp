#include "fitting/options.hpp"

#include "fitting/option_table.hpp"
#include "fitting/presets.hpp"

namespace gaussianize {
using namespace detail;
namespace {

OptionGroup declared(std::string_view title, FitGroup group) {
  OptionGroup result{title, {}};
  for (const FitOption& row : fit_option_table())
    if (row.group == group) result.options.push_back(row.option);
  return result;
}

/// Sets every field whose option was given.
template <class Options>
Options with_typed(const Arguments& arguments, Options options) {
  for (const FitOption& row : fit_option_table())
    if (const auto read = field_of(row, options).read;
        read != nullptr && row.group != FitGroup::recorded && arguments.given(row.option.name))
      read(arguments, row.option.name, options);
  return options;
}

template <class Options>
std::map<std::string, std::string> recorded(const Options& options) {
  std::map<std::string, std::string> result;
  for (const FitOption& row : fit_option_table())
    if (const auto text = field_of(row, options).text; text != nullptr) result.emplace(row.option.name, text(options));
  return result;
}

}  // namespace

std::vector<OptionGroup> fit_option_groups() {
  return {declared("RBIG and GF", FitGroup::both), declared("RBIG", FitGroup::rbig),
          declared("GF, chosen from the data where no default is given", FitGroup::gf)};
}

void check_fit_options(const Arguments& arguments, const std::string& model) {
  for (const FitOption& row : fit_option_table()) {
    const bool belongs = row.group == FitGroup::recorded || (model == "rbig" && row.group != FitGroup::gf) ||
                         (model == "gf" && row.group != FitGroup::rbig);
    if (!belongs && arguments.given(row.option.name))
      arguments.refuse("--", row.option.name, " does not belong to --model ", model, "; leave it out");
  }
  if (arguments.given("patch") && arguments.given("rotations") && arguments.text("rotations") == "householder")
    arguments.refuse("--patch is for patch and alternating rotations; leave it out, or --rotations householder");
}

RbigOptions rbig_options(const Arguments& arguments) {
  return with_typed(arguments, preset_rbig_options(arguments));
}

GfOptions gf_options(const Arguments& arguments) {
  return with_typed(arguments, preset_gf_options(arguments));
}

std::optional<GfSearchOptions> gf_search_options(const Arguments& arguments) {
  if (arguments.flag("no-search") || arguments.given("epochs")) return std::nullopt;
  return with_typed(arguments, GfSearchOptions{.effort = preset_effort(arguments)});
}

std::map<std::string, std::string> recorded_options(const RbigOptions& options) {
  return recorded(options);
}

std::map<std::string, std::string> recorded_options(const GfOptions& options) {
  return recorded(options);
}

}  // namespace gaussianize

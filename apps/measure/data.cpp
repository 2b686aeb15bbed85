#include "measure/data.hpp"

#include <map>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/io/column_selection.hpp"

#include "cli/models.hpp"
#include "cli/tables.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t toy_rows = 2000;
constexpr std::size_t toy_dimension = 3;

MeasuredData draw_toy(const Arguments& arguments, const std::string& quantity) {
  const auto draw = [&](KnownDistribution distribution, std::uint64_t seed) {
    return draw_rows(arguments, name(distribution), toy_rows, toy_dimension, Seed{seed});
  };
  ToySample drawn = draw(KnownDistribution::gaussian, arguments.seed().value);
  MeasuredData data{
      {drawn.columns, drawn.x}, {}, {}, concat(toy_rows, " rows of the built-in distribution gaussian"), {}};
  if (quantity == "entropy") data.truth = true_entropy(KnownDistribution::gaussian, toy_dimension);
  if (quantity == "total-correlation") data.truth = true_total_correlation(KnownDistribution::gaussian, toy_dimension);
  if (quantity == "divergence") {
    data.second = draw(KnownDistribution::student_t, arguments.seed().value + 1).x;
    data.source += concat(", and as many of ", name(KnownDistribution::student_t));
  }
  return data;
}

/// The library names a constant column by its number: here its name is known.
void check_varying(const arma::mat& values, const std::vector<std::string>& names, const std::string& source) {
  for (arma::uword d = 0; values.n_rows > 1 && d < values.n_cols; ++d)
    if (arma::all(values.col(d) == values(0, d)))
      throw DataError(concat(source, ": column ", d < names.size() ? names[d] : concat(d), " is constant (",
                             values(0, d), "): it carries no information; leave it out with --columns"));
}

}  // namespace

MeasuredData load_measured(const Arguments& arguments, const std::string& quantity) {
  const bool two = quantity == "divergence";
  if (arguments.positionals() == 1) return draw_toy(arguments, quantity);
  if (two && arguments.positionals() < 3) arguments.refuse("divergence compares two tables: give DATA and DATA_Q");
  if (!two && arguments.positionals() > 2) arguments.refuse(quantity, " takes one table");
  const std::string& path = arguments.positional(1);
  if (const std::string& file = arguments.text("model"); !file.empty()) {
    check_one_input(arguments, {path, file});
    const Model model = read_model(file);
    MeasuredData data{{column_names(model), load_rows_for(arguments, model, path)}, {}, model.flow, path, {}};
    check_varying(data.first.values, data.first.columns, path);
    return data;
  }
  MeasuredData data{load_table(arguments, path), {}, {}, path, {}};
  if (quantity != "mutual-information") check_varying(data.first.values, data.first.columns, path);
  if (!two) return data;
  const std::string& other = arguments.positional(2);
  check_one_input(arguments, {path, other});
  data.second = match_columns(arguments, {data.first.columns, data.first.values.n_cols}, path,
                              load_table(arguments, other), other);
  check_varying(data.second, data.first.columns, other);
  data.source += " and " + other;
  return data;
}

void check_groups(const Arguments& arguments, const MeasuredData& data) {
  std::map<std::size_t, const char*> owner;
  for (const char* option : {"x", "y", "given"}) {
    if (!arguments.given(option)) continue;
    for (const std::size_t c :
         select_columns(arguments.text(option), data.first.columns, data.first.values.n_cols, concat("--", option)))
      if (const auto [before, fresh] = owner.emplace(c, option); !fresh && std::string_view(before->second) != option)
        arguments.refuse("column ", column_names(data.first.columns, data.first.values.n_cols)[c], " is in --",
                         before->second, " and in --", option, "; each column belongs to one group");
  }
}

arma::mat column_group(const Arguments& arguments, const MeasuredData& data, const char* option) {
  const auto columns =
      select_columns(arguments.text(option), data.first.columns, data.first.values.n_cols, concat("--", option));
  arma::uvec places(columns.size());
  std::copy(columns.begin(), columns.end(), places.begin());
  arma::mat values = data.first.values.cols(places);
  std::vector<std::string> names;
  for (const auto c : columns)
    names.push_back(c < data.first.columns.size() ? data.first.columns[c] : std::to_string(c));
  check_varying(values, names, data.source);
  return values;
}

}  // namespace gaussianize

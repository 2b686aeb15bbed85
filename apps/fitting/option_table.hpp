#pragma once

#include <vector>

#include "gaussianize/gf/options.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/gf_search.hpp"

#include "fitting/option_field.hpp"

namespace gaussianize {

/// The heading an option of a fit stands under, which is also the models it belongs to.
enum class FitGroup {
  both,
  rbig,
  gf,
  recorded,  ///< no option of a fit: a field that model files record nevertheless
};

/// One option of a fit: what the help shows, and the fields it sets and model files record.
struct FitOption {
  FitGroup group = FitGroup::both;
  Option option;
  OptionField<RbigOptions> rbig = {};
  OptionField<GfOptions> gf = {};
  OptionField<GfSearchOptions> search = {};
};

/// All options of a fit, in the order of the help: the only place where one is written.
const std::vector<FitOption>& fit_option_table();

/// The field of a row for one kind of options.
inline const OptionField<RbigOptions>& field_of(const FitOption& row, const RbigOptions&) {
  return row.rbig;
}
inline const OptionField<GfOptions>& field_of(const FitOption& row, const GfOptions&) {
  return row.gf;
}
inline const OptionField<GfSearchOptions>& field_of(const FitOption& row, const GfSearchOptions&) {
  return row.search;
}

}  // namespace gaussianize

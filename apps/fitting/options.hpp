#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gaussianize/gf/options.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/gf_search.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// The options of both models under three headings: those they share, RBIG's own and GF's own.
std::vector<OptionGroup> fit_option_groups();

/// Throws UsageError if an option of another model than `model` ("gaussian", "rbig", "gf") was given.
void check_fit_options(const Arguments& arguments, const std::string& model);

/// The options given on the command line, over those of the preset; seed and threads included, progress and checkpoints
/// not.
RbigOptions rbig_options(const Arguments& arguments);
GfOptions gf_options(const Arguments& arguments);

/// What a search over GF's candidates may choose, or none if there is to be no search: --no-search, or --epochs, which
/// fixes how long one candidate is trained.
std::optional<GfSearchOptions> gf_search_options(const Arguments& arguments);

/// Options as a model file records them, by the names of the command line. Those that do not change the model (threads,
/// checkpoints) are left out.
std::map<std::string, std::string> recorded_options(const RbigOptions& options);
std::map<std::string, std::string> recorded_options(const GfOptions& options);

}  // namespace gaussianize

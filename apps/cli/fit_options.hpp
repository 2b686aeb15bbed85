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
using namespace detail;

/// The options of both models under three headings: those they share, RBIG's own and GF's own.
std::vector<OptionGroup> fit_option_groups();

/// Throws UsageError if an option of another model than `model` ("gaussian", "rbig", "gf") was given.
void check_fit_options(const Arguments& arguments, const std::string& model);

/// What the command line asks for; seed and threads included, progress and checkpoints not.
RbigOptions rbig_options(const Arguments& arguments);
GfOptions gf_options(const Arguments& arguments);

/// What a search over GF's candidates leaves open, or none if there is to be no search: --no-search, or --epochs, which
/// fixes how long one candidate is trained.
std::optional<GfSearchOptions> gf_search_options(const Arguments& arguments);

/// Options as a model file keeps them, in the words of the command line. Not in it: what changes no bit of the model.
std::map<std::string, std::string> option_words(const RbigOptions& options);
std::map<std::string, std::string> option_words(const GfOptions& options);

/// The shortest text that reads back as the same double.
std::string number_text(double value);

}  // namespace gaussianize

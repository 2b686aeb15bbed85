#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gaussianize/info/kl_account.hpp"

#include "cli/json.hpp"
#include "report/report.hpp"

namespace gaussianize {

/// What compare, diagnose and their reports say of J and of what models leave of it.

/// "1.2345 ± 0.0021", or "≥ 1.2345 ± 0.0021" for a lower bound.
std::string bounded(const Estimate& estimate, bool bound, int digits);

/// The account in sentences, the first with J itself: what it is measured from, what ≥ means, and the caveats of the
/// measures. `rows` names the rows: "test rows"; `models` the models of the account.
std::vector<std::string> account_sentences(const KlAccount& account, const std::string& rows,
                                           const std::vector<std::string>& models);

/// {"value", "standard_error", "bound", "measured_from", "suspect", "warnings"}.
Json j_json(const KlAccount& account, const std::vector<std::string>& models);

/// What model m leaves: {"value", "standard_error", "bound", "i", "j_m"}.
Json left_json(const KlAccount& account, std::size_t m);

/// The same for a report.
report::Remainder remainder(const KlAccount& account, std::size_t m);

}  // namespace gaussianize

// What goes wrong, by type.
#include <iostream>
#include <stdexcept>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/generate.hpp"
#include "gaussianize/io/model_file.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

/// Calls `action` and says whether it threw an E; any other exception goes on.
template <class E, class Action>
bool throws(const char* type, Action action) {
  try {
    action();
    return false;
  } catch (const E& error) {
    std::cout << type << ": " << error.what() << '\n';
    return true;
  }
}

int main() {
  const arma::mat x = generate("rings", 5000, 2, Seed{1}).x;
  const Flow flow = fit_rbig(x, {.max_layers = 2}).flow;

  arma::mat constant = x, not_finite = x;
  constant.col(1).fill(3);
  not_finite(4, 0) = arma::datum::nan;
  const Execution impatient{.progress = [](const Progress&) { return false; }};

  bool all = throws<std::invalid_argument>("std::invalid_argument", [&] { fit_rbig(x, {.step_fraction = 2}); });
  all &= throws<std::invalid_argument>("std::invalid_argument", [&] { log_density(flow, not_finite); });
  all &= throws<DataError>("DataError", [&] { fit_rbig(constant); });
  all &= throws<FileError>("FileError", [] { load_model("no such file"); });
  all &= throws<Cancelled>("Cancelled", [&] { log_density(flow, x, impatient); });
  return all ? 0 : 1;
}

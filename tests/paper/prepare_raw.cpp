// prepare_raw SET FILE…: prepares raw files of one of the paper's sets and prints the parts, one row a line, exactly,
// for check_prepare.py. "numpy SEED N" prints what NumpyRandom draws instead.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "paper/numpy_random.hpp"
#include "paper/prepare.hpp"
#include "paper/raw_sets.hpp"

using namespace gaussianize;

namespace {

void print(const char* name, const arma::mat& x) {
  std::printf("%s %llu %llu\n", name, static_cast<unsigned long long>(x.n_rows),
              static_cast<unsigned long long>(x.n_cols));
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    for (arma::uword d = 0; d < x.n_cols; ++d) std::printf("%a ", x(i, d));
    std::printf("\n");
  }
}

PreparedSet prepare(const std::string& set, char** files) {
  if (set == "power") return prepare_power(read_household_power(files[0]).values);
  if (set == "gas") return prepare_gas(read_ethylene(files[0]));
  if (set == "hepmass") return prepare_hepmass(read_hepmass(files[0]), read_hepmass(files[1]));
  if (set == "miniboone") {
    const MinibooneEvents events = read_miniboone(files[0]);
    return prepare_miniboone(events.values, events.signal);
  }
  throw std::invalid_argument("no such set: " + set);
}

void print_numpy(char** arguments) {
  NumpyRandom random(static_cast<std::uint32_t>(std::stoul(arguments[0])));
  for (const std::size_t row : random.shuffled(std::stoul(arguments[1]))) std::printf("%zu ", row);
  std::printf("\n");
  for (int i = 0; i < 5; ++i) std::printf("%a ", random.random_sample());
  std::printf("\n");
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "numpy") {
    print_numpy(arguments + 2);
    return 0;
  }
  const PreparedSet set = prepare(what, arguments + 2);
  print("train", set.train);
  print("validation", set.validation);
  print("test", set.test);
  return 0;
}

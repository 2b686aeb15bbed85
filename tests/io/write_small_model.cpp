#include "io/small_model.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  gaussianize::save_model(gaussianize::testing::small_model(3), argv[1]);
  return 0;
}

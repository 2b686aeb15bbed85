// For check_table_files.py: table_tool INPUT OUTPUT [COLUMNS] reads a table and writes it again; on failure it prints
// the message and ends with status 1.

#include <exception>
#include <iostream>

#include "gaussianize/io/table.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  gaussianize::write_table(gaussianize::read_table(argv[1], {.columns = argc > 3 ? argv[3] : ""}), argv[2]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

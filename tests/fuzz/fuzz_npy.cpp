// NPY: no header makes the reader allocate more than the file warrants, and what was read is written and read again.

#include "gaussianize/io/detail/numeric_files.hpp"

#include "fuzz/target.hpp"
#include "support/bytes.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

Bytes npy(char version, std::string header, std::size_t data) {
  header += '\n';
  std::string file = std::string("\x93NUMPY") + version + '\0';
  const std::size_t length_size = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_size; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  file += header;
  for (std::size_t i = 0; i < data; ++i) file += static_cast<char>(i % 60);
  return bytes_of(file);
}

}  // namespace

std::vector<Bytes> gaussianize::testing::seeds() {
  return {
      npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", 48),
      npy(1, "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2), }", 24),
      npy(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2, 2), }", 12),
      npy(3, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2, 2, 2), }", 128),
      npy(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (5,), }", 10),
      npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 2), }", 16),
      npy(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8),
      npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", 8),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const Missing missing : {Missing::error, Missing::drop}) {
    Table table;
    if (!refusal("name", [&] { table = parse_npy(bytes, "name", {.missing = missing, .threads = 1}); }).empty())
      continue;
    if (!table.values.is_finite() || table.values.is_empty()) broken("what is read is finite and there");
    if (table.values.n_elem > size) broken("a number takes a byte");
    const Table again = parse_npy(encode_npy(table.values), "name", {.threads = 1});
    if (!same_bytes(again.values, table.values)) broken("what is written is read");
  }
  return 0;
}

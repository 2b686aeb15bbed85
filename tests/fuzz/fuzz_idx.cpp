// IDX: no header makes the reader allocate more than the file warrants.

#include "gaussianize/io/detail/numeric_files.hpp"

#include "fuzz/target.hpp"
#include "support/bytes.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

Bytes idx(char type, const std::vector<unsigned>& shape, std::size_t data) {
  std::string file{'\0', '\0', type, static_cast<char>(shape.size())};
  for (const unsigned extent : shape)
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(extent >> shift & 0xFF);
  for (std::size_t i = 0; i < data; ++i) file += static_cast<char>(i % 60);
  return bytes_of(file);
}

}  // namespace

std::vector<Bytes> gaussianize::testing::seeds() {
  return {idx(0x08, {3, 2, 2}, 12),
          idx(0x09, {4}, 4),
          idx(0x0B, {2, 3}, 12),
          idx(0x0C, {2, 2}, 16),
          idx(0x0D, {2, 1, 2}, 16),
          idx(0x0E, {2, 2}, 32),
          idx(0x08, {4294967295u, 4294967295u, 4294967295u}, 4)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const Missing missing : {Missing::error, Missing::drop}) {
    Table table;
    if (!refusal("name", [&] { table = parse_idx(bytes, "name", {.missing = missing, .threads = 1}); }).empty())
      continue;
    if (!table.values.is_finite() || table.values.is_empty()) broken("what is read is finite and there");
    if (table.values.n_elem > size) broken("a number takes a byte");
  }
  return 0;
}

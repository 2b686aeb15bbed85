// Text tables: one meaning whatever the pieces, and what was read is what is written and read again.

#include "gaussianize/io/detail/csv.hpp"

#include "fuzz/target.hpp"
#include "support/bytes.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

struct Reading {
  Table table;
  TableReport report;
  std::string message;
};

Reading read(std::string_view text, const TableOptions& options, std::size_t chunk) {
  Reading reading;
  reading.message = refusal("name", [&] { reading.table = parse_csv(text, "name", options, &reading.report, chunk); });
  return reading;
}

void check(std::string_view text, const TableOptions& options) {
  const Reading whole = read(text, options, csv_chunk);
  const Reading pieces = read(text, options, 11);
  if (whole.message != pieces.message) broken("pieces change nothing: " + whole.message + " / " + pieces.message);
  if (!same_bytes(whole.table.values, pieces.table.values) || whole.table.columns != pieces.table.columns ||
      whole.report.rows_dropped != pieces.report.rows_dropped)
    broken("pieces change nothing");
  if (!whole.message.empty()) return;
  if (!whole.table.values.is_finite()) broken("what is read is finite");
  if (whole.table.values.n_rows > text.size()) broken("a row takes a byte");
  TableOptions again{.delimiter = ','};
  again.header = !whole.table.columns.empty();
  const Reading twice = read(format_csv(whole.table), again, csv_chunk);
  if (!twice.message.empty()) broken("what is written is read: " + twice.message);
  if (!same_bytes(twice.table.values, whole.table.values)) broken("numbers survive writing");
  if (twice.table.columns != whole.table.columns) broken("names survive writing");
}

}  // namespace

std::vector<Bytes> gaussianize::testing::seeds() {
  std::vector<Bytes> all;
  for (const std::string_view text : {
           "a,b\n1,2\n3.5,-4e-3\n",
           "1;2;3\r\n4;5;6\r\n",
           "x\ty\n1\tNA\n2\t\n3\t4\n",
           "  1   2 \n\n 3 4\n",
           "\"a \"\"b\"\", c\",d\n\"1\",\" 2 \"\n+3,.5\n",
           "\xEF\xBB\xBFh\n1e400\n1e-400\n0x10\n",
           "a,\"text\nin two lines\"\n1,\"x\"\"\ny\"\n",
           "1,5;2,5\n\xE2\x88\x92"
           "1;nan\n",
           "12345678901234567890.12345678901234567890e-5,9007199254740993\n1,2\n",
       })
    all.push_back(bytes_of(text));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // One way of reading a run, so that runs are many; the size, which mutations change all the time, chooses it.
  switch (size % 3) {
    case 0:
      check(text, {.threads = 1});
      break;
    case 1:
      check(text, {.delimiter = ',', .header = true, .missing = Missing::drop, .threads = 1});
      break;
    default:
      check(text, {.delimiter = ' ', .header = false, .missing = Missing::drop, .max_rows = 2, .threads = 1});
  }
  return 0;
}

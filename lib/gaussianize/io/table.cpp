#include "gaussianize/io/table.hpp"

#include <array>
#include <cstring>
#include <span>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/csv.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/gzip.hpp"
#include "gaussianize/io/detail/numeric_files.hpp"

namespace gaussianize {
using namespace detail;
namespace {

namespace fs = std::filesystem;

using Bytes = std::span<const std::byte>;

/// A file name's extension, in lower case and without .gz, and whether it ended in .gz.
struct Ending {
  std::string extension;
  bool gzipped = false;
};

Ending ending_of(const fs::path& path) {
  const auto lower = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  Ending ending{lower(path.extension().string())};
  if (ending.extension != ".gz") return ending;
  return {lower(path.stem().extension().string()), true};
}

/// Other kinds of files that users may take for tables, by their first bytes.
struct Foreign {
  std::string_view magic;
  const char* problem;
};

constexpr std::array foreign{
    Foreign{"PK\x03\x04", "is a zip file (.npz and .xlsx are); save the table as .npy or .csv"},
    Foreign{"\x89HDF\r\n", "is an HDF5 file; save the table as .npy or .csv"},
    Foreign{"PAR1", "is a Parquet file; save the table as .npy or .csv"},
    Foreign{"ARROW1", "is an Arrow file; save the table as .npy or .csv"},
    Foreign{"BZh", "is packed by bzip2; unpack it (bunzip2), or use gzip"},
    Foreign{"\xFD"
            "7zXZ",
            "is packed by xz; unpack it (unxz), or use gzip"},
    Foreign{"\x28\xB5\x2F\xFD", "is packed by zstd; unpack it (unzstd), or use gzip"},
    Foreign{"\x1F\x8B", "is packed by gzip twice; unpack it once (gunzip)"},
    Foreign{"\x80\x02", "is a Python pickle; save the array with numpy.save"},
    Foreign{"\x80\x04", "is a Python pickle; save the array with numpy.save"},
};

void check_foreign(Bytes bytes, const std::string& name) {
  for (const auto& [signature, problem] : foreign)
    if (bytes.size() >= signature.size() && std::memcmp(bytes.data(), signature.data(), signature.size()) == 0)
      throw FileError(concat(name, ": ", problem));
}

Table parse_table(Bytes bytes, const std::string& name, const Ending& ending, TableOptions options,
                  TableReport* report) {
  if (is_npy(bytes) || ending.extension == ".npy") return parse_npy(bytes, name, options, report);
  if (is_idx(bytes)) return parse_idx(bytes, name, options, report);
  check_foreign(bytes, name);
  if (options.delimiter == 0 && ending.extension == ".csv") options.delimiter = ',';
  if (options.delimiter == 0 && ending.extension == ".tsv") options.delimiter = '\t';
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name, options, report);
}

}  // namespace

Table read_table(const fs::path& path, const TableOptions& options, TableReport* report) {
  const std::string name = path == "-" ? "standard input" : path.string();
  const Ending ending = ending_of(path);
  std::vector<std::byte> bytes = read_file_or_stream(path);
  if (bytes.empty()) throw DataError(concat(name, ": is empty"));
  if (is_gzip(bytes) || ending.gzipped) bytes = gunzip(bytes, name);
  return parse_table(bytes, name, ending, options, report);
}

void write_table(const Table& table, const fs::path& path) {
  const Ending ending = ending_of(path);
  const auto put = [&](Bytes bytes) {
    if (ending.gzipped)
      write_output(path, gzip(bytes));
    else
      write_output(path, bytes);
  };
  if (ending.extension == ".npy") return put(encode_npy(table.values));
  const std::string text = format_csv(table, ending.extension == ".tsv" ? '\t' : ',');
  put(std::as_bytes(std::span(text)));
}

}  // namespace gaussianize

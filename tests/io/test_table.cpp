// Whole files: formats told apart by content, streams, and what cannot be read or written.

#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/csv.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/gzip.hpp"
#include "gaussianize/io/detail/numeric_files.hpp"
#include "gaussianize/io/table.hpp"

#include "io/table_checks.hpp"
#include "io/temporary_folder.hpp"
#include "support/bytes.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::bytes_of;
using gaussianize::testing::complaint;
using gaussianize::testing::contains;
using gaussianize::testing::same_bytes;
using gaussianize::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const Table small{{"a", "b"}, arma::mat{{1.5, -2}, {0.1, 4e300}, {5, 6}}};

void put(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// While it lives, descriptor `standard` is another file.
class Redirected {
 public:
  Redirected(int standard, int replacement) : standard_(standard), former_(::dup(standard)) {
    ::dup2(replacement, standard_);
  }
  ~Redirected() {
    ::dup2(former_, standard_);
    ::close(former_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int standard_;
  int former_;
};

/// What read_table makes of bytes that arrive, bit by bit, on standard input.
Table read_from_standard_input(const std::vector<std::byte>& bytes, const TableOptions& options = {}) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::thread writer([&] {
    const std::size_t half = bytes.size() / 2;
    write_all(ends[1], std::span(bytes).first(half));
    write_all(ends[1], std::span(bytes).subspan(half));
    ::close(ends[1]);
  });
  Table table;
  std::exception_ptr problem;
  {
    const Redirected input(STDIN_FILENO, ends[0]);
    try {
      table = read_table("-", options);
    } catch (...) {
      problem = std::current_exception();
    }
  }
  writer.join();
  ::close(ends[0]);
  if (problem) std::rethrow_exception(problem);
  return table;
}

}  // namespace

TEST_CASE("a table is written by its file's ending and read back equal") {
  const TemporaryFolder folder;
  for (const char* name : {"t.csv", "t.tsv", "t.npy", "t.csv.gz", "t.TSV.GZ", "t.npy.gz", "t", "t.txt"}) {
    const fs::path path = folder.path / name;
    write_table(small, path);
    const Table again = read_table(path);
    CHECK_MESSAGE(same_bytes(again.values, small.values), name);
    CHECK(again.columns == (contains(name, "npy") ? std::vector<std::string>{} : small.columns));
    const auto bytes = read_file(path);
    CHECK(is_gzip(bytes) == (contains(name, "gz") || contains(name, "GZ")));
  }
  CHECK(read_file(folder.path / "t.csv") == bytes_of("a,b\n1.5,-2\n0.1,4e+300\n5,6\n"));
  CHECK(read_file(folder.path / "t.tsv") == bytes_of("a\tb\n1.5\t-2\n0.1\t4e+300\n5\t6\n"));
}

TEST_CASE("the content decides, whatever the name") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "data";
  const std::string idx = std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x02", 12) + "abcd";
  write_output(path, encode_npy(small.values));
  CHECK(same_bytes(read_table(path).values, small.values));
  put(path, idx);
  CHECK(same_bytes(read_table(path).values, arma::mat{{97, 98}, {99, 100}}));
  write_output(path, gzip(bytes_of(idx)));
  CHECK(same_bytes(read_table(path, {.columns = "1"}).values, arma::mat("98; 100")));
  put(path, "x y\n1 2\n");
  CHECK(read_table(path).columns == std::vector<std::string>{"x", "y"});
}

TEST_CASE("the ending decides the delimiter") {
  const TemporaryFolder folder;
  put(folder.path / "t.tsv", "a,b\n1\n2\n");
  CHECK(read_table(folder.path / "t.tsv").columns == std::vector<std::string>{"a,b"});
  put(folder.path / "t.csv", "a\tb,c\n1,2\n");
  CHECK(read_table(folder.path / "t.csv").columns == std::vector<std::string>{"a\tb", "c"});
  put(folder.path / "t.csv", "a;b\n1;2\n");
  CHECK(read_table(folder.path / "t.csv", {.delimiter = ';'}).values.n_cols == 2);
}

TEST_CASE("standard input, by content, however it arrives") {
  const auto text = bytes_of(format_csv(small));
  CHECK(same_bytes(read_from_standard_input(text).values, small.values));
  CHECK(same_bytes(read_from_standard_input(gzip(text)).values, small.values));
  CHECK(same_bytes(read_from_standard_input(encode_npy(small.values)).values, small.values));
  CHECK(complaint([] { read_from_standard_input({}); }) == "data: standard input: is empty");
  CHECK(contains(complaint([] { read_from_standard_input(bytes_of("1,2\n3\n")); }), "data: standard input: line 2: "));
  // More than a pipe and any buffer hold.
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "12345,6\n";
  CHECK(read_from_standard_input(bytes_of(many)).values.n_rows == 100'000);
}

TEST_CASE("a pipe with a name is read until its writer is done") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "pipe.csv";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { write_table(small, path); });  // which writes to a pipe rather than replace it
  CHECK(same_bytes(read_table(path).values, small.values));
  writer.join();
  CHECK(fs::is_fifo(path));
}

TEST_CASE("standard output gets CSV") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    const Redirected output(STDOUT_FILENO, ends[1]);
    write_table(small, "-");
  }
  ::close(ends[1]);
  char buffer[200];
  const ssize_t size = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  REQUIRE(size > 0);
  CHECK(std::string(buffer, static_cast<std::size_t>(size)) == format_csv(small));
}

TEST_CASE("an output that nobody reads is an error, not a signal's business") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto former = ::signal(SIGPIPE, SIG_IGN);
  std::string message;
  {
    const Redirected output(STDOUT_FILENO, ends[1]);
    message = complaint([] { write_table(small, "-"); });
  }
  ::signal(SIGPIPE, former);
  ::close(ends[1]);
  CHECK(message == "file: standard output: cannot be written: Broken pipe");
}

TEST_CASE("a file that cannot be read is refused") {
  const TemporaryFolder folder;
  const std::string base = folder.path.string();
  CHECK(complaint([&] { read_table(folder.path); }) ==
        "file: " + base + ": is a folder; give the name of a file in it");
  CHECK(complaint([&] { read_table(folder.path / "none.csv"); }) ==
        "file: " + base + "/none.csv: cannot be opened: No such file or directory");
  CHECK(complaint([] { read_table("/dev/zero"); }) ==
        "file: /dev/zero: is a device; copy the data to a file and give its name");
  put(folder.path / "empty.csv", "");
  CHECK(complaint([&] { read_table(folder.path / "empty.csv"); }) == "data: " + base + "/empty.csv: is empty");
  if (::geteuid() == 0) {
    MESSAGE("root may read every file, so that an unreadable one is not tried");
  } else {
    put(folder.path / "secret.csv", "1\n");
    ::chmod((folder.path / "secret.csv").c_str(), 0);
    CHECK(complaint([&] { read_table(folder.path / "secret.csv"); }) ==
          "file: " + base + "/secret.csv: cannot be opened: Permission denied");
  }
}

TEST_CASE("a name that promises another format than the file has") {
  const TemporaryFolder folder;
  const std::string base = folder.path.string();
  put(folder.path / "t.npy", "1,2\n");
  CHECK(complaint([&] { read_table(folder.path / "t.npy"); }) ==
        "file: " + base + "/t.npy: does not begin as an NPY file does; is the name's ending right?");
  put(folder.path / "t.csv.gz", "1,2\n");
  CHECK(complaint([&] { read_table(folder.path / "t.csv.gz"); }) ==
        "file: " + base + "/t.csv.gz: does not begin as a gzip file does; is the name's ending right?");
}

TEST_CASE("files of other programs are told what they are") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "t.csv";
  const auto refused = [&](std::string_view content) {
    put(path, content);
    return complaint([&] { read_table(path); });
  };
  CHECK(
      contains(refused("PK\x03\x04..."), "t.csv: is a zip file (.npz and .xlsx are); save the table as .npy or .csv"));
  CHECK(contains(refused("PAR1..."), "is a Parquet file"));
  CHECK(contains(refused("\x89HDF\r\n\x1a\n"), "is an HDF5 file"));
  CHECK(contains(refused("BZh91AY"), "is packed by bzip2; unpack it (bunzip2), or use gzip"));
  write_output(path, gzip(gzip(bytes_of("1\n"))));
  CHECK(contains(complaint([&] { read_table(path); }), "is packed by gzip twice; unpack it once (gunzip)"));
}

TEST_CASE("a table that cannot be written leaves what was there") {
  const TemporaryFolder folder;
  CHECK(contains(complaint([&] { write_table(small, folder.path / "none" / "t.csv"); }), "No such file or directory"));
  CHECK(contains(complaint([&] { write_table(small, folder.path); }), "is a folder; add a file name to it"));
  put(folder.path / "t.csv", "before");
  CHECK(contains(complaint([&] {
                   write_table({{"one"}, small.values}, folder.path / "t.csv");
                 }),
                 "usage: a table of 2"));
  CHECK(read_file(folder.path / "t.csv") == bytes_of("before"));
  CHECK(folder.entries() == 1);
}

TEST_CASE("the public tables that are there are read whole") {
  const fs::path data = fs::path(GAUSSIANIZE_SOURCE_DIR).parent_path() / "shared" / "data";
  if (!fs::exists(data)) {
    return gaussianize::testing::skipped("there is no folder ../shared/data");
  }
  for (const auto& entry : fs::directory_iterator(data / "small")) {
    const Table table = read_table(entry.path());
    CHECK_MESSAGE(table.columns.size() == table.values.n_cols, entry.path().string());
    CHECK(table.values.is_finite());
  }
  const Table digits = read_table(data / "mnist" / "t10k-images-idx3-ubyte.gz", {.max_rows = 100});
  CHECK(digits.values.n_rows == 100);
  CHECK(digits.values.n_cols == 784);
  CHECK(digits.values.max() == 255.0);
}

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/files.hpp"

#include "io/temporary_folder.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::contains;
using gaussianize::testing::file_error;
using gaussianize::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> filled(std::size_t size, unsigned char with) {
  return std::vector<std::byte>(size, std::byte{with});
}

/// While it lives, files cannot grow beyond `bytes`: write() then fails as on a full disk.
struct FileSizeLimit {
  rlimit former{};
  void (*former_handler)(int);
  explicit FileSizeLimit(rlim_t bytes) : former_handler(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &former);
    const rlimit limit{bytes, former.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &former);
    ::signal(SIGXFSZ, former_handler);
  }
};

}  // namespace

TEST_CASE("a file is written, replaced and read back, with nothing else left in the folder") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "file";
  for (const std::size_t size : {0, 1, 100'000, 10}) {
    write_file_atomically(path, filled(size, 7));
    CHECK(read_file(path) == filled(size, 7));
    CHECK(folder.entries() == 1);
  }
  const fs::path longest = folder.path / std::string(255, 'n');
  write_file_atomically(longest, filled(3, 1));
  CHECK(read_file(longest) == filled(3, 1));
}

TEST_CASE("a name without a folder is in the current one") {
  const TemporaryFolder folder;
  const fs::path former = fs::current_path();
  fs::current_path(folder.path);
  write_file_atomically("bare", filled(5, 2));
  fs::current_path(former);
  CHECK(read_file(folder.path / "bare") == filled(5, 2));
}

TEST_CASE("a write that fails half way leaves the earlier file and no other") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "file";
  write_file_atomically(path, filled(100, 1));
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = file_error([&] { write_file_atomically(path, filled(5000, 2)); });
  }
  CHECK(contains(message, path.string()));
  CHECK(contains(message, "cannot be written: File too large"));
  CHECK(read_file(path) == filled(100, 1));
  CHECK(folder.entries() == 1);
}

TEST_CASE("places where no file can be are refused and stay as they were") {
  const TemporaryFolder folder;
  const auto bytes = filled(10, 3);
  write_file_atomically(folder.path / "plain", bytes);

  CHECK(
      contains(file_error([&] { write_file_atomically(folder.path / "plain" / "below", bytes); }), "Not a directory"));
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "no" / "x", bytes); }), "No such file"));
  CHECK(contains(file_error([&] { write_file_atomically(folder.path, bytes); }), "is a folder"));
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "", bytes); }), "is a folder"));
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "new" / "", bytes); }), "names no file"));
  CHECK(contains(file_error([&] { write_file_atomically("", bytes); }), "names no file"));
  CHECK(contains(file_error([&] { write_file_atomically("/dev/null", bytes); }), "is not a regular file"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(read_file(folder.path / "plain") == bytes);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a folder without permission leaves no trace") {
  if (::geteuid() == 0) return gaussianize::testing::skipped("root may write to any folder");
  const TemporaryFolder folder;
  ::chmod(folder.path.c_str(), 0555);
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "x", filled(1, 1)); }), "Permission denied"));
  CHECK(folder.entries() == 0);
  ::chmod(folder.path.c_str(), 0755);
}

TEST_CASE("links stay links; what they lead to is replaced or made") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "deep");
  fs::create_symlink("deep/target", folder.path / "link");
  fs::create_symlink("link", folder.path / "link to link");
  write_file_atomically(folder.path / "link to link", filled(4, 4));
  CHECK(fs::is_symlink(folder.path / "link to link"));
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(read_file(folder.path / "deep" / "target") == filled(4, 4));
  write_file_atomically(folder.path / "link", filled(5, 5));
  CHECK(read_file(folder.path / "deep" / "target") == filled(5, 5));

  fs::create_symlink("round", folder.path / "round");
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "round", filled(1, 1)); }), "symbolic links"));
}

TEST_CASE("writers of one file at the same time never mix") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "file";
  constexpr std::size_t size = 20'000;
  {
    std::vector<std::jthread> writers;
    for (unsigned char w = 1; w <= 4; ++w)
      writers.emplace_back([&path, w] {
        for (int i = 0; i < 20; ++i) write_file_atomically(path, filled(size, w));
      });
  }
  const auto bytes = read_file(path);
  CHECK(bytes == filled(size, static_cast<unsigned char>(bytes.at(0))));
  CHECK(folder.entries() == 1);
}

TEST_CASE("what is not a readable regular file is refused by read_file") {
  const TemporaryFolder folder;
  CHECK(contains(file_error([&] { read_file(folder.path / "none"); }), "cannot be opened: No such file"));
  CHECK(contains(file_error([&] { read_file(folder.path); }), "is a folder"));
  CHECK(contains(file_error([&] { read_file("/dev/zero"); }), "is not a regular file"));
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK(contains(file_error([&] { read_file(folder.path / "pipe"); }), "is not a regular file"));
  CHECK(contains(file_error([&] { write_file_atomically(folder.path / "pipe", filled(1, 1)); }), "not a regular"));
  CHECK(fs::is_fifo(folder.path / "pipe"));
}

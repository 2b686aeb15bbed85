#include "gaussianize/io/detail/files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw FileError(concat(name, ": ", problem));
}

/// With the system's reason.
[[noreturn]] void fail(const std::string& name, const std::string& problem, int error) {
  fail(name, concat(problem, ": ", std::generic_category().message(error)));
}

struct Descriptor {
  int value;
  bool owned = true;
  ~Descriptor() {
    if (owned && value >= 0) ::close(value);
  }
};

struct stat status_of(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(name, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) fail(name, "is a folder; give the name of a file in it");
  return status;
}

/// Up to `size` bytes to `to`; less only at the end.
std::size_t read_some(int descriptor, std::byte* to, std::size_t size, const std::string& name) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, "cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::vector<std::byte> read_regular(int descriptor, std::size_t size, const std::string& name) {
  std::vector<std::byte> bytes(size);
  if (read_some(descriptor, bytes.data(), size, name) < size)
    fail(name, "became shorter while it was read; wait until its writer is done");
  return bytes;
}

std::vector<std::byte> read_stream(int descriptor, const std::string& name) {
  std::vector<std::byte> bytes;
  for (std::size_t size = 0;;) {
    constexpr std::size_t min_size = 65'536;
    bytes.resize(std::max(min_size, 2 * size));
    size += read_some(descriptor, bytes.data() + size, bytes.size() - size, name);
    if (size == bytes.size()) continue;
    bytes.resize(size);
    return bytes;
  }
}

/// A new file in `folder` that is removed again unless `keep_as_target` succeeds.
class TemporaryFile {
 public:
  /// `target` is the file that messages name.
  TemporaryFile(const fs::path& folder, const fs::path& target) : target_(target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = folder / concat(".gaussianize-", ::getpid(), "-", counter++, ".tmp");
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(target_.string(), concat("cannot make a file in folder ", folder.string()), errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    if (const int error = write_all(descriptor_, bytes); error != 0) fail(target_.string(), "cannot be written", error);
  }

  void flush_and_close() {
    if (::fsync(descriptor_) != 0) fail(target_.string(), "cannot be flushed to the disk", errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(target_.string(), "cannot be closed", errno);
  }

  void keep_as_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_.string(), "cannot be put in place", errno);
    kept_ = true;
  }

 private:
  fs::path target_, path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

/// The file that a chain of symbolic links leads to, whether or not it exists.
fs::path follow_links(const fs::path& path) {
  constexpr int max_links = 40;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < max_links; ++i) {
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path.string(), "the link cannot be followed", error.value());
    target = target.parent_path() / next;
  }
  fail(path.string(), "the link cannot be followed", ELOOP);
}

/// Without it a rename may be lost in a power cut. Some file systems cannot flush a folder, and a folder may be
/// writable but not readable; neither harms the file.
void flush_folder(const fs::path& folder, const fs::path& target) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && error != EINVAL && error != ENOTSUP)
    fail(target.string(), "was written, but its folder cannot be flushed to the disk", error);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever instead of being refused.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) fail(name, "cannot be opened", errno);
  const struct stat status = status_of(file.value, name);
  if (!S_ISREG(status.st_mode)) fail(name, "is not a regular file; copy the data to one and give its name");
  return read_regular(file.value, static_cast<std::size_t>(status.st_size), name);
}

std::vector<std::byte> read_file_or_stream(const std::filesystem::path& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path.string();
  const Descriptor file{standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard};
  if (file.value < 0) fail(name, "cannot be opened", errno);
  const struct stat status = status_of(file.value, name);
  // Standard input may be a file whose first part was already read, so only named files are taken by their size.
  if (S_ISREG(status.st_mode) && !standard)
    return read_regular(file.value, static_cast<std::size_t>(status.st_size), name);
  const bool device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(file.value) == 0);
  if (device && !standard) fail(name, "is a device; copy the data to a file and give its name");
  return read_stream(file.value, name);
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(path.string(), "is a folder; add a file name to it");
  if (!path.has_filename()) throw FileError(concat("'", path.string(), "': names no file; add a file name to it"));
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail(path.string(), "is not a regular file and is not replaced; give another name");

  const fs::path target = follow_links(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  {
    TemporaryFile file(folder, target);
    file.write(bytes);
    file.flush_and_close();
    file.keep_as_target();
  }
  flush_folder(folder, target);
}

void write_output(const fs::path& path, std::span<const std::byte> bytes) {
  const auto write_to = [&](int descriptor, const std::string& name) {
    if (const int error = write_all(descriptor, bytes); error != 0) fail(name, "cannot be written", error);
  };
  if (path == "-") return write_to(STDOUT_FILENO, "standard output");
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::is_fifo(status) && !fs::is_character_file(status)) return write_file_atomically(path, bytes);
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.value < 0) fail(path.string(), "cannot be opened", errno);
  write_to(file.value, path.string());
}

}  // namespace gaussianize::detail

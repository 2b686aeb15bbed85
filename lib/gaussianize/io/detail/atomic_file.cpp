#include "gaussianize/io/detail/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/write_output.hpp"

namespace gaussianize::detail {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& problem, int error) {
  throw FileError(concat(path.string(), ": ", problem, ": ", std::generic_category().message(error)));
}

/// A new file in `folder` that is removed again unless `keep_as` succeeds.
class TemporaryFile {
 public:
  /// `target` is the file that messages speak of.
  TemporaryFile(const fs::path& folder, const fs::path& target) : target_(target) {
    static std::atomic<unsigned> counter{0};
    do {
      path_ = folder / concat(".gaussianize-", ::getpid(), "-", counter++, ".tmp");
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(target_, concat("cannot make a file in folder ", folder.string()), errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    if (const int error = write_all(descriptor_, bytes); error != 0) fail(target_, "cannot be written", error);
  }

  void flush_and_close() {
    if (::fsync(descriptor_) != 0) fail(target_, "cannot be flushed to the disk", errno);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(target_, "cannot be closed", errno);
  }

  void keep_as_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be put in place", errno);
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
    if (error) fail(path, "the link cannot be followed", error.value());
    target = target.parent_path() / next;
  }
  fail(path, "the link cannot be followed", ELOOP);
}

/// Without it a rename may be lost in a power cut. Some file systems know no flush of folders, and a folder may be
/// writable but not readable; neither harms the file.
void flush_folder(const fs::path& folder, const fs::path& target) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0 && error != EINVAL && error != ENOTSUP)
    fail(target, "was written, but its folder cannot be flushed to the disk", error);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw FileError(concat(path.string(), ": is a folder; add a file name to it"));
  if (!path.has_filename()) throw FileError(concat("'", path.string(), "': names no file; add a file name to it"));
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw FileError(concat(path.string(), ": is not a regular file and is left alone; give another name"));

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

}  // namespace gaussianize::detail

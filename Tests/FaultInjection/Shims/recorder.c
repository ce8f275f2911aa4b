// Records what a process does below one directory, for the replay of power cuts (docs/reliability.md).
//
// Loaded with LD_PRELOAD into a program of the tests, never linked into the library. Environment:
//   ANNALS_SHIM_ROOT     the directory whose files are recorded; initial files count as created and durable
//   ANNALS_SHIM_LOG      the file that the records are written to
//   ANNALS_SHIM_JOURNAL  a file in which the program notes the answers it got; each note becomes a mark
//
// A record is seven little-endian numbers of eight bytes (kind, inode, other, argument, lengths of name, new
// name and bytes), then the three. Only operations below the root are recorded. Files and directories are
// known from the beginning, or once they are created. Writes through a shared map are not seen. A map for
// writing of any file but a lock file is recorded as unsupported, so that no replay misses a write.
#include "records.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

__attribute__((constructor)) static void begin(void) {
  const char *root = getenv("ANNALS_SHIM_ROOT"), *path = getenv("ANNALS_SHIM_LOG"), *notes = getenv("ANNALS_SHIM_JOURNAL");
  struct stat status;
  if (!root || !path || !notes || stat(root, &status) != 0) return;
  device = status.st_dev;
  learn(status.st_ino);
  struct stat note;
  if (stat(notes, &note) == 0) journal = note.st_ino;
  logFile = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (logFile < 0) abort();
  record(ROOT, status.st_ino, 0, 0, 0, 0, 0, 0);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  found(descriptor, status.st_ino);
  record(BEGIN, 0, 0, 0, 0, 0, 0, 0);
}

static void wrote(int descriptor, ino_t inode, const void *bytes, size_t count, off_t offset) {
  int flags = fcntl(descriptor, F_GETFL);
  record(flags & O_DSYNC ? DURABLE_WRITE : WRITE, inode, 0, (uint64_t)offset, 0, 0, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  pthread_mutex_lock(&gate);
  ssize_t done = REAL(pwrite)(descriptor, bytes, count, offset);
  int error = errno;
  ino_t inode = inside(descriptor);
  if (done > 0 && inode) wrote(descriptor, inode, bytes, (size_t)done, offset);
  pthread_mutex_unlock(&gate);
  errno = error;
  return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

static void wroteParts(int descriptor, const struct iovec *parts, int count, off_t offset, ssize_t done) {
  ino_t inode = inside(descriptor);
  if (!inode || done <= 0) return;
  // One call is one write, which may be torn like any other.
  char *bytes = malloc((size_t)done);
  size_t length = 0;
  for (int i = 0; i < count && length < (size_t)done; i++) {
    size_t part = parts[i].iov_len;
    if (part > (size_t)done - length) part = (size_t)done - length;
    memcpy(bytes + length, parts[i].iov_base, part);
    length += part;
  }
  wrote(descriptor, inode, bytes, length, offset);
  free(bytes);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  pthread_mutex_lock(&gate);
  off_t offset = lseek(descriptor, 0, SEEK_CUR);
  ssize_t done = REAL(writev)(descriptor, parts, count);
  int error = errno;
  wroteParts(descriptor, parts, count, offset, done);
  pthread_mutex_unlock(&gate);
  errno = error;
  return done;
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  pthread_mutex_lock(&gate);
  ssize_t done = REAL(pwritev)(descriptor, parts, count, offset);
  int error = errno;
  wroteParts(descriptor, parts, count, offset, done);
  pthread_mutex_unlock(&gate);
  errno = error;
  return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  pthread_mutex_lock(&gate);
  off_t offset = lseek(descriptor, 0, SEEK_CUR);
  ssize_t done = REAL(write)(descriptor, bytes, count);
  int error = errno;
  struct stat status;
  if (done > 0 && logFile >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == device) {
    if (status.st_ino == journal)
      record(MARK, 0, 0, 0, 0, 0, bytes, (size_t)done);
    else if (isKnown(status.st_ino))
      wrote(descriptor, status.st_ino, bytes, (size_t)done, offset);
  }
  pthread_mutex_unlock(&gate);
  errno = error;
  return done;
}

static int synchronized(int descriptor, int (*real)(int)) {
  pthread_mutex_lock(&gate);
  int code = real(descriptor);
  int error = errno;
  ino_t inode = inside(descriptor);
  if (code == 0 && inode) record(SYNCHRONIZE, inode, 0, 0, 0, 0, 0, 0);
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

int fsync(int descriptor) { return synchronized(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return synchronized(descriptor, REAL(fdatasync)); }

int ftruncate(int descriptor, off_t size) {
  pthread_mutex_lock(&gate);
  int code = REAL(ftruncate)(descriptor, size);
  int error = errno;
  ino_t inode = inside(descriptor);
  if (code == 0 && inode) record(RESIZE, inode, 0, (uint64_t)size, 0, 0, 0, 0);
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  pthread_mutex_lock(&gate);
  int code = REAL(posix_fallocate)(descriptor, offset, length);
  ino_t inode = inside(descriptor);
  if (code == 0 && inode) record(EXTEND, inode, 0, (uint64_t)(offset + length), 0, 0, 0, 0);
  pthread_mutex_unlock(&gate);
  return code;
}

static int opened(int directory, const char *path, int flags, mode_t mode) {
  if (!(flags & (O_CREAT | O_TRUNC))) return REAL(openat)(directory, path, flags, mode);
  pthread_mutex_lock(&gate);
  char name[256];
  ino_t parent = place(directory, path, name);
  ino_t before = parent ? inodeAt(directory, path) : 0;
  int descriptor = REAL(openat)(directory, path, flags, mode);
  int error = errno;
  if (descriptor >= 0 && parent && !before) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) abort();
    learn(status.st_ino);
    record(CREATE, parent, status.st_ino, 0, name, 0, 0, 0);
  } else if (descriptor >= 0 && before && flags & O_TRUNC) {
    record(RESIZE, before, 0, 0, 0, 0, 0, 0);
  }
  pthread_mutex_unlock(&gate);
  errno = error;
  return descriptor;
}

#define MODE(flags)                          \
  mode_t mode = 0;                           \
  if (flags & (O_CREAT | __O_TMPFILE)) {     \
    va_list list;                            \
    va_start(list, flags);                   \
    mode = va_arg(list, mode_t);             \
    va_end(list);                            \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return opened(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return opened(directory, path, flags, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  pthread_mutex_lock(&gate);
  char name[256];
  ino_t parent = place(directory, path, name);
  int code = REAL(mkdirat)(directory, path, mode);
  int error = errno;
  if (code == 0 && parent) {
    ino_t made = inodeAt(directory, path);
    learn(made);
    record(MAKE_DIRECTORY, parent, made, 0, name, 0, 0, 0);
  }
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

static long renamed(int directory, const char *path, int newDirectory, const char *newPath, unsigned flags) {
  pthread_mutex_lock(&gate);
  char name[256], newName[256];
  ino_t parent = place(directory, path, name), newParent = place(newDirectory, newPath, newName);
  long code = REAL(syscall)(SYS_renameat2, directory, path, newDirectory, newPath, flags);
  int error = errno;
  if (code == 0 && (parent || newParent)) {
    if (parent == newParent)
      record(RENAME, parent, inodeAt(newDirectory, newPath), 0, name, newName, 0, 0);
    else
      record(UNSUPPORTED, 0, 0, 0, "a rename from one directory to another", 0, 0, 0);
  }
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

int renameat(int directory, const char *path, int newDirectory, const char *newPath) {
  return (int)renamed(directory, path, newDirectory, newPath, 0);
}
int rename(const char *path, const char *newPath) { return renameat(AT_FDCWD, path, AT_FDCWD, newPath); }
int renameat2(int directory, const char *path, int newDirectory, const char *newPath, unsigned flags) {
  return (int)renamed(directory, path, newDirectory, newPath, flags);
}

// The Swift module LMDB calls renameat2 by its number.
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
       e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_renameat2 && logFile >= 0)
    return renamed((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
  return REAL(syscall)(number, a, b, c, d, e, f);
}

int unlinkat(int directory, const char *path, int flags) {
  pthread_mutex_lock(&gate);
  char name[256];
  ino_t parent = place(directory, path, name);
  ino_t inode = parent ? inodeAt(directory, path) : 0;
  int code = REAL(unlinkat)(directory, path, flags);
  int error = errno;
  if (code == 0 && parent) {
    record(REMOVE, parent, inode, 0, name, 0, 0, 0);
    // From now on, another file may get the number.
    forget(inode);
  }
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int linkat(int directory, const char *path, int newDirectory, const char *newPath, int flags) {
  pthread_mutex_lock(&gate);
  char name[256];
  ino_t parent = place(newDirectory, newPath, name);
  int code = REAL(linkat)(directory, path, newDirectory, newPath, flags);
  int error = errno;
  if (code == 0 && parent) record(UNSUPPORTED, 0, 0, 0, "a second name of a file", 0, 0, 0);
  pthread_mutex_unlock(&gate);
  errno = error;
  return code;
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  void *start = REAL(mmap)(address, length, protection, flags, descriptor, offset);
  int error = errno;
  if (start != MAP_FAILED && flags & MAP_SHARED && protection & PROT_WRITE) {
    pthread_mutex_lock(&gate);
    if (inside(descriptor)) {
      char link[64], path[4096];
      snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
      ssize_t size = readlink(link, path, sizeof path - 1);
      if (size >= 0) path[size] = 0;
      if (size < 5 || strcmp(path + size - 5, "-lock") != 0)
        record(UNSUPPORTED, 0, 0, 0, "a map for writing of what is no lock file", 0, 0, 0);
    }
    pthread_mutex_unlock(&gate);
  }
  errno = error;
  return start;
}

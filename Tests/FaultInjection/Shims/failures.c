// Makes one system call of a process fail, for the tests of failing calls (docs/reliability.md).
//
// Loaded with LD_PRELOAD into a program of the tests, never linked into the library. Environment:
//   ANNALS_SHIM_ROOT    only calls on this directory and the files below it are counted
//   ANNALS_SHIM_CALL    the call: pwrite, writev, fsync, fdatasync, ftruncate, fallocate, open, mmap, rename,
//                       flock, mkdir; meta for the pwrite of LMDB's meta page alone
//   ANNALS_SHIM_AT      which of these calls fails, counted from 1
//   ANNALS_SHIM_TIMES   how many fail from there on; 0 for all
//   ANNALS_SHIM_HOW     an errno as a number; "short" writes half and says so; "done" does all of it and
//                       reports EIO; "kept" does so too, and fails the pwrite with which LMDB would undo it
//   ANNALS_SHIM_REPORT  a file that gets one byte for each call that failed: m for a write of LMDB's meta
//                       page, else !
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The C library's own function of the same name.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum outcome { PASS, FAIL, SHORT, DONE, KEPT };

static const char *root, *chosen, *how;
static long first, times;
static atomic_long seen;
static atomic_bool isKept;
static int report = -1;

__attribute__((constructor)) static void begin(void) {
  root = getenv("ANNALS_SHIM_ROOT");
  chosen = getenv("ANNALS_SHIM_CALL");
  how = getenv("ANNALS_SHIM_HOW");
  const char *at = getenv("ANNALS_SHIM_AT"), *count = getenv("ANNALS_SHIM_TIMES"), *path = getenv("ANNALS_SHIM_REPORT");
  if (!root || !chosen || !how || !at || !count || !path) return;
  first = atol(at);
  times = atol(count);
  report = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (report < 0) abort();
}

static int isBelowRoot(const char *path) {
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int isOurs(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return isBelowRoot(path);
}

static int isOursAt(int directory, const char *path) {
  int descriptor;
  if (sscanf(path, "/proc/self/fd/%d", &descriptor) == 1) return isOurs(descriptor);
  if (path[0] == '/') return isBelowRoot(path);
  return directory != AT_FDCWD && isOurs(directory);
}

// The outcome of this call.
static enum outcome meet(int ours, const char *mark) {
  if (!ours) return PASS;
  long number = atomic_fetch_add(&seen, 1) + 1;
  if (number < first || (times && number >= first + times)) return PASS;
  if (syscall(SYS_write, report, mark, 1) != 1) abort();
  if (strcmp(how, "short") == 0) return SHORT;
  if (strcmp(how, "kept") == 0) return KEPT;
  return strcmp(how, "done") == 0 ? DONE : FAIL;
}

// LMDB opens its file a second time for its meta pages alone, so that writing one makes it durable.
static int isForMeta(int descriptor) { return (fcntl(descriptor, F_GETFL) & O_DSYNC) != 0; }

// After a flush has made a record durable, LMDB writes its meta page like any other page.
// The write is 120 bytes of one of the first two pages.
static int isPlainMeta(size_t count, off_t offset) { return count == 120 && (offset == 32 || offset == 4128); }

static enum outcome meetDescriptor(const char *call, int descriptor) {
  // Checked first, because reading a descriptor's path is expensive.
  if (report < 0 || strcmp(call, chosen) != 0) return PASS;
  int error = errno, ours = isOurs(descriptor);
  enum outcome outcome = meet(ours, isForMeta(descriptor) ? "m" : "!");
  errno = error;
  return outcome;
}

static enum outcome meetMeta(int descriptor, size_t count, off_t offset) {
  int isPlain = strcmp("plain-meta", chosen) == 0;
  if (report < 0 || !(isPlain || strcmp("meta", chosen) == 0)) return PASS;
  int error = errno, ours = isOurs(descriptor);
  enum outcome outcome = PASS;
  if (ours && atomic_exchange(&isKept, 0)) {
    if (syscall(SYS_write, report, "!", 1) != 1) abort();
    outcome = FAIL;
  } else {
    outcome = meet(ours && (isPlain ? isPlainMeta(count, offset) : isForMeta(descriptor)), "m");
  }
  errno = error;
  return outcome;
}

static enum outcome meetPath(const char *call, int directory, const char *path) {
  if (report < 0 || strcmp(call, chosen) != 0) return PASS;
  int error = errno;
  enum outcome outcome = meet(isOursAt(directory, path), "!");
  errno = error;
  return outcome;
}

static int failed(enum outcome outcome) {
  // Only an errno is a number.
  errno = outcome == FAIL && atoi(how) ? atoi(how) : EIO;
  return -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  enum outcome outcome = meetDescriptor("pwrite", descriptor);
  if (outcome == PASS) outcome = meetMeta(descriptor, count, offset);
  if (outcome == FAIL) return failed(outcome);
  // Never zero bytes: no system returns that from a write.
  if (outcome == SHORT && count > 1) count /= 2;
  ssize_t done = REAL(pwrite)(descriptor, bytes, count, offset);
  if (outcome == KEPT) atomic_store(&isKept, 1);
  return outcome == DONE || outcome == KEPT ? failed(outcome) : done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  enum outcome outcome = meetDescriptor("writev", descriptor);
  if (outcome == FAIL) return failed(outcome);
  // A write has many parts, so half of them is a short write too.
  if (outcome == SHORT && count > 1) count /= 2;
  ssize_t done = REAL(writev)(descriptor, parts, count);
  return outcome == DONE ? failed(outcome) : done;
}

#define SIMPLE(call, result, function, parameters, arguments)        \
  result function parameters {                                       \
    enum outcome outcome = meetDescriptor(call, descriptor);         \
    if (outcome == FAIL) return failed(outcome);                     \
    result code = REAL(function) arguments;                          \
    return outcome == DONE ? failed(outcome) : code;                 \
  }

SIMPLE("fsync", int, fsync, (int descriptor), (descriptor))
SIMPLE("fdatasync", int, fdatasync, (int descriptor), (descriptor))
SIMPLE("ftruncate", int, ftruncate, (int descriptor, off_t size), (descriptor, size))
SIMPLE("flock", int, flock, (int descriptor, int operation), (descriptor, operation))

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  enum outcome outcome = meetDescriptor("fallocate", descriptor);
  // This call returns its error.
  if (outcome == FAIL) return atoi(how);
  int code = REAL(posix_fallocate)(descriptor, offset, length);
  return outcome == DONE ? EIO : code;
}

static int opened(int directory, const char *path, int flags, mode_t mode) {
  enum outcome outcome = meetPath("open", directory, path);
  if (outcome == FAIL) return failed(outcome);
  int descriptor = REAL(openat)(directory, path, flags, mode);
  if (outcome != DONE) return descriptor;
  // The file may have been created; nothing may keep it open.
  if (descriptor >= 0) close(descriptor);
  return failed(outcome);
}

#define MODE(flags)                      \
  mode_t mode = 0;                       \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list;                        \
    va_start(list, flags);               \
    mode = va_arg(list, mode_t);         \
    va_end(list);                        \
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
  enum outcome outcome = meetPath("mkdir", directory, path);
  if (outcome == FAIL) return failed(outcome);
  int code = REAL(mkdirat)(directory, path, mode);
  return outcome == DONE ? failed(outcome) : code;
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  enum outcome outcome = flags & MAP_ANONYMOUS ? PASS : meetDescriptor("mmap", descriptor);
  // A map that was made but reported as failed would be lost memory.
  if (outcome != PASS) {
    failed(outcome);
    return MAP_FAILED;
  }
  return REAL(mmap)(address, length, protection, flags, descriptor, offset);
}

static long renamed(int directory, const char *path, int newDirectory, const char *newPath, unsigned flags) {
  enum outcome outcome = meetPath("rename", directory, path);
  if (outcome == FAIL) return failed(outcome);
  long code = REAL(syscall)(SYS_renameat2, directory, path, newDirectory, newPath, flags);
  return outcome == DONE ? failed(outcome) : code;
}

int renameat(int directory, const char *path, int newDirectory, const char *newPath) {
  return (int)renamed(directory, path, newDirectory, newPath, 0);
}
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
  if (number == SYS_renameat2 && report >= 0)
    return renamed((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
  return REAL(syscall)(number, a, b, c, d, e, f);
}

// The records of recorder.c, and which files are recorded.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
  WRITE = 1, DURABLE_WRITE, RESIZE, EXTEND, SYNCHRONIZE, CREATE, MAKE_DIRECTORY, RENAME, REMOVE, MARK, ROOT, UNSUPPORTED, BEGIN
};

// The C library's own function of the same name.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { MOST = 1 << 16 };
static ino_t known[MOST];
static int knownCount;
static dev_t device;
static int logFile = -1;
static ino_t journal;
// One operation at a time, so that the records are in the order in which the system saw the calls.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void record(enum kind kind, ino_t inode, uint64_t other, uint64_t argument, const char *name,
                   const char *newName, const void *bytes, size_t count) {
  uint64_t numbers[7] = {kind, inode, other, argument, name ? strlen(name) : 0, newName ? strlen(newName) : 0, count};
  struct iovec parts[4] = {{numbers, sizeof numbers}, {(void *)name, numbers[4]}, {(void *)newName, numbers[5]},
                           {(void *)bytes, count}};
  ssize_t length = (ssize_t)(sizeof numbers + numbers[4] + numbers[5] + count);
  // Without this record a replay would be wrong, so the program ends.
  if (syscall(SYS_writev, logFile, parts, 4) != length) abort();
}

static void learn(ino_t inode) {
  if (knownCount == MOST) abort();
  known[knownCount++] = inode;
}

static int isKnown(ino_t inode) {
  for (int i = knownCount - 1; i >= 0; i--)
    if (known[i] == inode) return 1;
  return 0;
}

static void forget(ino_t inode) {
  for (int i = 0; i < knownCount; i++)
    if (known[i] == inode) {
      known[i] = known[--knownCount];
      return;
    }
}

// The inode of an open file or directory that is recorded, or 0.
static ino_t inside(int descriptor) {
  struct stat status;
  if (logFile < 0 || fstat(descriptor, &status) != 0 || status.st_dev != device) return 0;
  return isKnown(status.st_ino) ? status.st_ino : 0;
}

// The inode of the recorded directory that holds `path`, or 0; `name` becomes the last part of the path.
static ino_t place(int directory, const char *path, char name[256]) {
  if (logFile < 0 || strlen(path) >= 4096) return 0;
  char copy[4096];
  strcpy(copy, path);
  char *slash = strrchr(copy, '/');
  strncpy(name, slash ? slash + 1 : copy, 255);
  name[255] = 0;
  struct stat status;
  const char *parent = ".";
  if (slash) {
    slash[0] = 0;
    parent = slash == copy ? "/" : copy;
  }
  if (fstatat(directory, parent, &status, 0) != 0 || status.st_dev != device) return 0;
  return isKnown(status.st_ino) ? status.st_ino : 0;
}

static ino_t inodeAt(int directory, const char *path) {
  struct stat status;
  return fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino : 0;
}

// Records the bytes of an initial file.
static void foundBytes(int descriptor, ino_t inode) {
  static char bytes[1 << 16];
  uint64_t offset = 0;
  ssize_t count;
  while ((count = pread(descriptor, bytes, sizeof bytes, (off_t)offset)) > 0) {
    record(WRITE, inode, 0, offset, 0, 0, bytes, (size_t)count);
    offset += (uint64_t)count;
  }
}

// Records the initial contents of a directory, and closes it.
static void found(int descriptor, ino_t inode) {
  DIR *directory = fdopendir(descriptor);
  if (!directory) abort();
  struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    int child = (int)syscall(SYS_openat, descriptor, entry->d_name, O_RDONLY | O_CLOEXEC, 0);
    struct stat status;
    if (child < 0 || fstat(child, &status) != 0) abort();
    learn(status.st_ino);
    record(S_ISDIR(status.st_mode) ? MAKE_DIRECTORY : CREATE, inode, status.st_ino, 0, entry->d_name, 0, 0, 0);
    if (S_ISDIR(status.st_mode)) {
      found(child, status.st_ino);
    } else {
      foundBytes(child, status.st_ino);
      record(SYNCHRONIZE, status.st_ino, 0, 0, 0, 0, 0, 0);
      close(child);
    }
  }
  closedir(directory);
  record(SYNCHRONIZE, inode, 0, 0, 0, 0, 0, 0);
}

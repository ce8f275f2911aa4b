// Gives the run of the system another name, for tests that examine the files of another run.
//
// Loaded with LD_PRELOAD into a program of the tests, never linked into the library. Environment:
//   ANNALS_SHIM_BOOT  the path of a file that is read instead of /proc/sys/kernel/random/boot_id
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int opened(int directory, const char *path, int flags, mode_t mode) {
  int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  const char *name = strrchr(path, '/'), *other = getenv("ANNALS_SHIM_BOOT");
  if (other && !strcmp(name ? name + 1 : path, "boot_id")) return real(AT_FDCWD, other, flags, mode);
  return real(directory, path, flags, mode);
}

#define MODE(flags)                      \
  mode_t mode = 0;                       \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list;                        \
    va_start(list, flags);               \
    mode = va_arg(list, mode_t);         \
    va_end(list);                        \
  }

int openat(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return opened(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return opened(directory, path, flags, mode);
}

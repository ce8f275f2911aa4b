// Refuses memory to liblmdb alone, for the tests of failing calls (docs/reliability.md).
//
// Swift ends the process if it gets no memory, so only callers inside liblmdb are refused. The return address
// identifies them.
//
// Loaded with LD_PRELOAD into a program of the tests, never linked into the library. Environment:
//   ANNALS_SHIM_AT      which request fails, counted from 1
//   ANNALS_SHIM_TIMES   how many fail from there on; 0 for all
//   ANNALS_SHIM_REPORT  a file that gets one byte for each request that failed
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library's own functions; looking them up by name would need memory.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static char *low, *high;
static long first, times;
static atomic_long seen;
static int report = -1;

static int find(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "liblmdb")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    low = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    high = low + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("ANNALS_SHIM_AT"), *count = getenv("ANNALS_SHIM_TIMES"), *path = getenv("ANNALS_SHIM_REPORT");
  if (!at || !count || !path) return;
  first = atol(at);
  times = atol(count);
  dl_iterate_phdr(find, 0);
  report = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (report < 0) abort();
}

// Whether the request that returns to `caller` is refused.
static int isRefused(void *caller) {
  if (report < 0 || (char *)caller < low || (char *)caller >= high) return 0;
  long number = atomic_fetch_add(&seen, 1) + 1;
  if (number < first || (times && number >= first + times)) return 0;
  if (syscall(SYS_write, report, "!", 1) != 1) abort();
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return isRefused(__builtin_return_address(0)) ? 0 : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return isRefused(__builtin_return_address(0)) ? 0 : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return isRefused(__builtin_return_address(0)) ? 0 : __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (isRefused(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

char *strdup(const char *text) {
  if (isRefused(__builtin_return_address(0))) return 0;
  size_t size = strlen(text) + 1;
  char *copy = __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : 0;
}

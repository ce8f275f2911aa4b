// For MAP_ANONYMOUS and MADV_WIPEONFORK.
#define _DEFAULT_SOURCE
#include "CAnnals.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && defined(MADV_WIPEONFORK)

static pthread_once_t once = PTHREAD_ONCE_INIT;
// A page that is all zero in each child, because the system clears it there.
static pid_t *known = NULL;

static void allocate(void) {
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, size, MADV_WIPEONFORK) != 0) {
    (void)munmap(page, size);
    return;
  }
  known = page;
}

int annals_process(void) {
  (void)pthread_once(&once, allocate);
  if (known == NULL) return getpid();
  pid_t process = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (process == 0) {
    process = getpid();
    __atomic_store_n(known, process, __ATOMIC_RELAXED);
  }
  return process;
}

#else

// Darwin's `getpid` remembers its answer.
int annals_process(void) { return getpid(); }

#endif

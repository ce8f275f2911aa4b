#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CAnnals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *annals_pages_allocate(size_t count) {
  void *pages = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (pages == MAP_FAILED) return NULL;
#if defined(__linux__)
  // Random access to a table of many pages misses the processor's table of pages more often than its cache.
  // Where the system declines, the small pages do.
  if (count >= (2u << 20)) (void)madvise(pages, count, MADV_HUGEPAGE);
#endif
  return pages;
}

void annals_pages_move(void *to, void *from, size_t count) {
  // A large page at a time, so that the two copies are never in memory together.
  const size_t most = 2u << 20;
  for (size_t done = 0; done < count; done += most) {
    size_t piece = count - done < most ? count - done : most;
#if defined(__linux__)
    // The pages themselves move, so that none is cleared and copied.
    if (piece == most) {
      int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
      if (mremap((char *)from + done, most, most, flags, (char *)to + done) != MAP_FAILED) continue;
      // A move that fails may leave nothing at its target.
      flags = MAP_PRIVATE | MAP_ANON | MAP_FIXED;
      if (mmap((char *)to + done, most, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) abort();
    }
#endif
    memcpy((char *)to + done, (char *)from + done, piece);
    (void)munmap((char *)from + done, piece);
  }
}

void annals_pages_free(void *pages, size_t count) { (void)munmap(pages, count); }

#ifndef CANNALS_H
#define CANNALS_H

#include <stddef.h>
#include <stdint.h>

/// The CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `count` bytes at `bytes`, continued from `crc`.
///
/// Begin with 0; the CRC of two runs of bytes is the CRC of the second continued from that of the first.
uint32_t annals_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The CRC-32C of the eight bytes of `number`, the lowest first, then of `bytes` without `gap` bytes from
/// `start` on.
uint32_t annals_crc32c_around(uint64_t number, const void *bytes, size_t count, size_t start, size_t gap);

/// SipHash-2-4 with 128 bits (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) of `count`
/// bytes at `bytes` under the key of two words; `hash` gets the low word and then the high one.
void annals_siphash(const uint64_t key[2], const void *bytes, size_t count, uint64_t hash[2]);

/// Adds `count` blocks of 64 bytes to the eight words of a SHA-256 (FIPS 180-4, section 6.2).
void annals_sha256(uint32_t state[8], const void *blocks, size_t count);

/// Does the same without special instructions, for machines that have none and for tests.
void annals_sha256_portable(uint32_t state[8], const void *blocks, size_t count);

/// Memory of `count` bytes, all zero, that begins a page; in large pages where it is large and the system has
/// them. NULL where there is none.
void *annals_pages_allocate(size_t count);

/// Gives back what `annals_pages_allocate` gave with the same count.
void annals_pages_free(void *pages, size_t count);

/// Moves `count` bytes from memory that `annals_pages_allocate` gave with that count to the beginning of
/// `to`, which it gave as well and nobody has used, and gives the memory back as it goes.
void annals_pages_move(void *to, void *from, size_t count);

/// Begins to load the memory at `address` into the cache, to be written soon. Any address will do.
static inline void annals_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/// Begins to load the memory at `address` into the cache, to be read soon. Any address will do.
static inline void annals_prefetch_read(const void *address) { __builtin_prefetch(address, 0, 3); }

/// The number of the process that calls.
///
/// On Linux, `getpid` asks the system each time. This asks once in each process, as long as the system clears
/// the memory of a child in which the answer is kept.
int annals_process(void);

#endif

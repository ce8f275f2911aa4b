#include "CAnnals.h"

#include <string.h>

// The polynomial of CRC-32C, its bits reversed.
#define POLYNOMIAL 0x82f63b78u

static uint32_t byte_at_a_time(uint32_t state, const uint8_t *bytes, size_t count) {
  while (count--) {
    state ^= *bytes++;
    for (int bit = 0; bit < 8; bit++)
      state = (state >> 1) ^ (POLYNOMIAL & (0u - (state & 1u)));
  }
  return state;
}

#if defined(__x86_64__)

#include <immintrin.h>

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t state, const uint8_t *bytes,
                                                                 size_t count) {
  uint64_t wide = state;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  state = (uint32_t)wide;
  if (count & 4) {
    uint32_t word;
    memcpy(&word, bytes, 4);
    state = __builtin_ia32_crc32si(state, word);
    bytes += 4;
  }
  if (count & 2) {
    uint16_t word;
    memcpy(&word, bytes, 2);
    state = __builtin_ia32_crc32hi(state, word);
    bytes += 2;
  }
  if (count & 1)
    state = __builtin_ia32_crc32qi(state, *bytes);
  return state;
}

// An instruction begins each cycle and takes three, so three lanes of equal length are taken at a time. A
// lane is moved before the next ones by a multiplication with x^(8·distance - 33), whose 64 bits the
// instruction reduces (Gopal et al., "Fast CRC computation for iSCSI polynomial using CRC32 instruction",
// 2011).
__attribute__((target("sse4.2,pclmul"))) static inline uint64_t lanes(uint64_t state, const uint8_t *bytes,
                                                                      size_t lane, uint32_t before_two,
                                                                      uint32_t before_one) {
  uint64_t first = state, second = 0, third = 0;
  for (size_t at = 0; at < lane; at += 8) {
    uint64_t words[3];
    memcpy(&words[0], bytes + at, 8);
    memcpy(&words[1], bytes + lane + at, 8);
    memcpy(&words[2], bytes + 2 * lane + at, 8);
    first = __builtin_ia32_crc32di(first, words[0]);
    second = __builtin_ia32_crc32di(second, words[1]);
    third = __builtin_ia32_crc32di(third, words[2]);
  }
  const __m128i moved = _mm_xor_si128(
      _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)first), _mm_cvtsi64_si128(before_two), 0),
      _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)second), _mm_cvtsi64_si128(before_one), 0));
  return __builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(moved)) ^ third;
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t by_lanes(uint32_t state, const uint8_t *bytes,
                                                                  size_t count) {
  uint64_t wide = state;
  for (; count >= 144; bytes += 144, count -= 144)
    wide = lanes(wide, bytes, 48, 0x0715ce53, 0xddc0152b);
  if (count >= 96) {
    wide = lanes(wide, bytes, 32, 0x9e4addf8, 0xba4fc28e);
    bytes += 96;
    count -= 96;
  }
  return by_instruction((uint32_t)wide, bytes, count);
}

static uint32_t by_processor(uint32_t state, const uint8_t *bytes, size_t count) {
  if (count >= 96 && __builtin_cpu_supports("pclmul"))
    return by_lanes(state, bytes, count);
  return by_instruction(state, bytes, count);
}

uint32_t annals_crc32c(uint32_t crc, const void *bytes, size_t count) {
  uint32_t state = ~crc;
  state = __builtin_cpu_supports("sse4.2") ? by_processor(state, bytes, count)
                                           : byte_at_a_time(state, bytes, count);
  return ~state;
}

uint32_t annals_crc32c_around(uint64_t number, const void *bytes, size_t count, size_t start, size_t gap) {
  const uint8_t *next = bytes;
  uint32_t state = ~0u;
  if (__builtin_cpu_supports("sse4.2")) {
    state = by_instruction(state, (const uint8_t *)&number, 8);
    state = by_instruction(state, next, start);
    state = by_processor(state, next + start + gap, count - start - gap);
  } else {
    state = byte_at_a_time(state, (const uint8_t *)&number, 8);
    state = byte_at_a_time(state, next, start);
    state = byte_at_a_time(state, next + start + gap, count - start - gap);
  }
  return ~state;
}

#elif defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

uint32_t annals_crc32c(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t state = ~crc;
  for (; count >= 8; next += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    state = __crc32cd(state, word);
  }
  for (; count; next++, count--)
    state = __crc32cb(state, *next);
  return ~state;
}

#else

uint32_t annals_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return ~byte_at_a_time(~crc, bytes, count);
}

#endif

#if !defined(__x86_64__)

uint32_t annals_crc32c_around(uint64_t number, const void *bytes, size_t count, size_t start, size_t gap) {
  const uint8_t *next = bytes;
  uint32_t crc = annals_crc32c(annals_crc32c(0, &number, 8), next, start);
  return annals_crc32c(crc, next + start + gap, count - start - gap);
}

#endif

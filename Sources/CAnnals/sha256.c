#include "CAnnals.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void by_words(uint32_t state[8], const uint8_t *block, size_t count) {
  uint32_t schedule[64];
  for (; count > 0; count--, block += 64) {
    for (int i = 0; i < 16; i++) {
      const uint8_t *word = block + 4 * i;
      schedule[i] = (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];
    }
    for (int i = 16; i < 64; i++) {
      uint32_t w15 = schedule[i - 15], w2 = schedule[i - 2];
      uint32_t s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3;
      uint32_t s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10;
      schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
      uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + schedule[i];
      uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
      uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      memmove(v + 1, v, 7 * sizeof v[0]);
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
      state[i] += v[i];
  }
}

#if defined(__x86_64__)

// Four rounds at a time with the SHA extensions of x86 (Intel 64 manual, volume 2: SHA256RNDS2).
__attribute__((target("sha,sse4.1"))) static void by_instruction(uint32_t state[8], const uint8_t *block,
                                                                  size_t count) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the words as ABEF and CDGH.
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; count--, block += 64) {
    const __m128i first = abef, second = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; i++)
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), order);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      __m128i round = _mm_add_epi32(words[i & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, round);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(round, 0x0e));
      if (i >= 12)
        continue;
      __m128i middle = _mm_alignr_epi8(words[(i + 3) & 3], words[(i + 2) & 3], 4);
      __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]), middle);
      words[i & 3] = _mm_sha256msg2_epu32(sum, words[(i + 3) & 3]);
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int has_instruction(void) {
  unsigned a, b, c, d;
  return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

void annals_sha256(uint32_t state[8], const void *blocks, size_t count) {
  static _Atomic int known;
  if (known == 0)
    known = has_instruction() ? 2 : 1;
  if (known == 2)
    by_instruction(state, blocks, count);
  else
    by_words(state, blocks, count);
}

#else

void annals_sha256(uint32_t state[8], const void *blocks, size_t count) { by_words(state, blocks, count); }

#endif

void annals_sha256_portable(uint32_t state[8], const void *blocks, size_t count) {
  by_words(state, blocks, count);
}

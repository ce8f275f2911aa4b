#include "CAnnals.h"

#include <string.h>

#define ROTATE(word, bits) (((word) << (bits)) | ((word) >> (64 - (bits))))

#define ROUND                 \
  do {                        \
    v0 += v1;                 \
    v1 = ROTATE(v1, 13) ^ v0; \
    v0 = ROTATE(v0, 32);      \
    v2 += v3;                 \
    v3 = ROTATE(v3, 16) ^ v2; \
    v0 += v3;                 \
    v3 = ROTATE(v3, 21) ^ v0; \
    v2 += v1;                 \
    v1 = ROTATE(v1, 17) ^ v2; \
    v2 = ROTATE(v2, 32);      \
  } while (0)

void annals_siphash(const uint64_t key[2], const void *bytes, size_t count, uint64_t hash[2]) {
  // "somepseudorandomlygeneratedbytes", and 0xee for 128 bits, as the paper's reference has them.
  uint64_t v0 = 0x736f6d6570736575ull ^ key[0];
  uint64_t v1 = 0x646f72616e646f6dull ^ key[1] ^ 0xee;
  uint64_t v2 = 0x6c7967656e657261ull ^ key[0];
  uint64_t v3 = 0x7465646279746573ull ^ key[1];
  const uint8_t *next = bytes;
  size_t rest = count;
  uint64_t word;
  for (; rest >= 8; next += 8, rest -= 8) {
    memcpy(&word, next, 8);
    v3 ^= word;
    ROUND;
    ROUND;
    v0 ^= word;
  }
  word = (uint64_t)count << 56;
  for (size_t index = 0; index < rest; index++) word |= (uint64_t)next[index] << (8 * index);
  v3 ^= word;
  ROUND;
  ROUND;
  v0 ^= word;
  v2 ^= 0xee;
  for (int index = 0; index < 4; index++) ROUND;
  hash[0] = v0 ^ v1 ^ v2 ^ v3;
  v1 ^= 0xdd;
  for (int index = 0; index < 4; index++) ROUND;
  hash[1] = v0 ^ v1 ^ v2 ^ v3;
}

#ifndef CANNALS_H
#define CANNALS_H

#include <stddef.h>
#include <stdint.h>

/// The CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `count` bytes at `bytes`, continued from `crc`.
///
/// Begin with 0; the CRC of two runs of bytes is the CRC of the second continued from that of the first.
uint32_t annals_crc32c(uint32_t crc, const void *bytes, size_t count);

#endif

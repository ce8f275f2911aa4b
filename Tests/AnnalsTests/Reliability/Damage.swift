/// A way in which a disk, a copy or a careless program spoils a file.
enum Damage: CustomStringConvertible, Sendable {
  /// One bit is another one.
  case flip(offset: Int, bit: Int)
  /// The end is missing.
  case truncation(size: Int)
  /// A page of zeros.
  case zeroedPage(Int)
  /// Two pages have swapped places.
  case swappedPages(Int, Int)
  /// A sector of 512 bytes has other bytes, as after a write that was cut off.
  case tornSector(Int, fill: UInt8)

  static let pageSize = 4096
  static let sector = 512

  /// The kinds of damage, for tests that take one after the other.
  enum Kind: String, CaseIterable, CustomStringConvertible, Sendable {
    case flip, headerFlip, truncation, zeroedPage, swappedPages, tornSector

    var description: String { rawValue }
  }

  /// A random damage of this kind to a file of `size` bytes.
  init(_ kind: Kind, size: Int, using random: inout SeededGenerator) {
    let pages = size / Self.pageSize
    func page() -> Int { Int.random(in: 0..<pages, using: &random) }
    self =
      switch kind {
      case .flip:
        .flip(offset: Int.random(in: 0..<size, using: &random), bit: Int.random(in: 0..<8, using: &random))
      case .headerFlip:
        // In the header of a page and the first offsets after it, where damage misleads most.
        .flip(
          offset: page() * Self.pageSize + Int.random(in: 0..<64, using: &random),
          bit: Int.random(in: 0..<8, using: &random))
      case .truncation: .truncation(size: Int.random(in: 0..<size, using: &random))
      case .zeroedPage: .zeroedPage(page())
      case .swappedPages: .swappedPages(page(), page())
      case .tornSector:
        .tornSector(
          Int.random(in: 0..<size / Self.sector, using: &random),
          fill: UInt8.random(in: 0...255, using: &random))
      }
  }

  /// The bytes after the damage.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .flip(let offset, let bit): bytes[offset] ^= 1 << UInt8(bit)
    case .truncation(let size): bytes.removeSubrange(size...)
    case .zeroedPage(let page):
      for offset in 0..<Self.pageSize { bytes[page * Self.pageSize + offset] = 0 }
    case .swappedPages(let first, let second):
      for offset in 0..<Self.pageSize {
        bytes.swapAt(first * Self.pageSize + offset, second * Self.pageSize + offset)
      }
    case .tornSector(let sector, let fill):
      for offset in 0..<Self.sector { bytes[sector * Self.sector + offset] = fill }
    }
    return bytes
  }

  /// Whether one of the two meta pages is touched.
  var isInMetaPages: Bool {
    switch self {
    case .flip(let offset, _): offset < 2 * Self.pageSize
    case .truncation: false
    case .zeroedPage(let page): page < 2
    case .swappedPages(let first, let second): min(first, second) < 2
    case .tornSector(let sector, _): sector * Self.sector < 2 * Self.pageSize
    }
  }

  var description: String {
    switch self {
    case .flip(let offset, let bit): "bit \(bit) of byte \(offset) flipped"
    case .truncation(let size): "cut to \(size) bytes"
    case .zeroedPage(let page): "page \(page) zeroed"
    case .swappedPages(let first, let second): "pages \(first) and \(second) swapped"
    case .tornSector(let sector, let fill): "sector \(sector) filled with \(fill)"
    }
  }
}

/// The head of an item: its major type, the low five bits, and the argument in them or in the bytes after
/// them.
///
/// RFC 8949, section 3.
@usableFromInline package struct CBORHead: Sendable {
  /// The kind of item.
  @usableFromInline package let major: Major
  /// The low five bits of the first byte; 31 means an indefinite length, or the end of one.
  @usableFromInline package let info: UInt8
  /// The argument; 0 if `info` is 31.
  @usableFromInline package let argument: UInt64

  @inlinable package init(major: Major, info: UInt8, argument: UInt64) {
    self.major = major
    self.info = info
    self.argument = argument
  }

  /// The eight major types in the order of their numbers.
  @usableFromInline package enum Major: UInt8, Sendable {
    case unsigned, negative, bytes, text, array, map, tag, simple

    /// Returns the major type of the item that begins with `byte`.
    @inlinable package init(ofFirst byte: UInt8) {
      switch byte >> 5 {
      case 0: self = .unsigned
      case 1: self = .negative
      case 2: self = .bytes
      case 3: self = .text
      case 4: self = .array
      case 5: self = .map
      case 6: self = .tag
      default: self = .simple
      }
    }
  }

  /// Whether the argument has the fewest bytes and the length, if it is one, is definite.
  @inlinable package var isShortest: Bool {
    switch info {
    case 0..<24: true
    case 24: argument >= 24
    case 25: argument > 0xff
    case 26: argument > 0xffff
    case 27: argument > 0xffff_ffff
    default: false
    }
  }
}

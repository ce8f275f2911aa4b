package import AnnalsCoding

/// The content of a file `program-<uuid>.lease`, after the process id: the version that a program with the
/// store open reads.
package struct ProgramLeaseFile: Equatable, Sendable {
  /// More bytes than any content has.
  package static let limit = 200
  private static let prefix = "program-"
  private static let ending = ".lease"

  /// The highest version that the program reads.
  package var version: SchemaVersion
  /// Whether it skips events of types that only newer versions have.
  package var skips: Bool

  /// The name of the file for an id.
  package static func name(_ id: String) -> String { prefix + id.lowercased() + ending }

  /// Whether a file is named as a lease is.
  package static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    return bytes.starts(with: prefix.utf8) && name.hasSuffix(ending)
      && bytes.count == prefix.utf8.count + 36 + ending.utf8.count
  }

  /// The version, a blank, `skips` or `fails`, a blank, the CRC-32C of what is before it in eight hexadecimal
  /// digits, a newline.
  package func encoded() -> [UInt8] {
    let line = "\(version) \(skips ? "skips" : "fails")"
    let digits = String(Checksum.crc32c(Array(line.utf8).span), radix: 16)
    return Array("\(line) \(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\n".utf8)
  }

  package init(version: SchemaVersion, skips: Bool) {
    self.version = version
    self.skips = skips
  }

  /// Reads the file's content.
  package init(_ bytes: [UInt8]) throws(FormatFailure) {
    let words = String(decoding: bytes, as: UTF8.self).utf8.split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3 else { throw FormatFailure(.value, at: 0) }
    let numbers = words[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .compactMap { UInt32(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 3 else { throw FormatFailure(.value, at: 0) }
    self.init(
      version: SchemaVersion(numbers[0], numbers[1], numbers[2]), skips: words[1].elementsEqual("skips".utf8))
    guard encoded() == bytes else { throw FormatFailure(.checksum, at: 0) }
  }
}

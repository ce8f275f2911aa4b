package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The one line of the file `CURRENT`, which names the log and its generation in use.
///
/// `log-000001.mdb <log id> <generation> <crc32c>` and a newline. The checksum, in eight hexadecimal digits,
/// is of everything before the blank in front of it.
package struct CurrentFile: Equatable, Sendable {
  /// The name of the file in the store's directory.
  package static let name = "CURRENT"
  /// The largest number of a generation: more have no name.
  package static let maximumGeneration = FormatRange.generations.upperBound
  /// More bytes than any line of this format has.
  package static let limit = 200

  /// The id that all copies and generations of one log share.
  package var log: UUID
  /// The number of the generation in use, 1 to 999,999.
  package var generation: UInt64

  /// The name of the generation's file.
  package var fileName: String { Self.fileName(generation: generation) }

  /// The name of the file of a generation: `log-` and six digits.
  package static func fileName(generation: UInt64) -> String {
    let digits = String(generation)
    return "log-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits + ".mdb"
  }

  /// Returns the number of the generation whose file has this name; `nil` for any other file.
  package static func generation(ofFile name: String) -> UInt64? {
    guard name.hasPrefix("log-"), name.hasSuffix(".mdb"),
      let number = UInt64(name.dropFirst(4).dropLast(4)), fileName(generation: number) == name
    else { return nil }
    return number
  }

  /// The name of the lease file of a generation.
  package var leaseName: String { String(fileName.dropLast(4)) + ".lease" }

  /// The file's content.
  package func encoded() -> [UInt8] {
    let line = "\(fileName) \(log.uuidString.lowercased()) \(generation)"
    let digits = String(Checksum.crc32c(Array(line.utf8).span), radix: 16)
    return Array("\(line) \(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\n".utf8)
  }

  package init(log: UUID, generation: UInt64) {
    self.log = log
    self.generation = generation
  }

  /// Reads the file's content. None of it is ever joined to a path, except a name that this type makes
  /// itself.
  package init(_ bytes: [UInt8]) throws(FormatFailure) {
    let text = String(decoding: bytes, as: UTF8.self)
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 4, let log = UUID(uuidString: String(words[1]) ?? ""),
      let generation = UInt64(String(words[2]) ?? ""), (1...Self.maximumGeneration).contains(generation)
    else { throw FormatFailure(.value, at: 0) }
    self.init(log: log, generation: generation)
    guard encoded() == bytes else { throw FormatFailure(.checksum, at: 0) }
  }
}

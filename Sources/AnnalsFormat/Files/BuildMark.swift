package import AnnalsCoding

/// The content of the file `log-NNNNNN.state` next to a generation that is being built: whether a power loss
/// can have damaged it.
package struct BuildMark: Equatable, Sendable {
  /// More bytes than any mark has.
  package static let limit = 200

  /// The boot of the operating system that wrote it; empty if the system does not report one.
  package var boot: String
  /// Whether all committed pages are on disk. If not, the file is usable only during the same boot.
  package var isSynced: Bool

  /// The name of the file for a generation.
  package static func name(generation: UInt64) -> String {
    String(CurrentFile.fileName(generation: generation).dropLast(4)) + ".state"
  }

  /// Whether a generation with this mark can be continued in a boot of the system.
  package func isUsable(in boot: String?) -> Bool {
    isSynced || (!self.boot.isEmpty && self.boot == boot)
  }

  /// `synced` or `unsynced`, a blank, the run, a blank, the CRC-32C of what is before it in eight hexadecimal
  /// digits, a newline.
  package func encoded() -> [UInt8] {
    let line = "\(isSynced ? "synced" : "unsynced") \(boot)"
    let digits = String(Checksum.crc32c(Array(line.utf8).span), radix: 16)
    return Array("\(line) \(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\n".utf8)
  }

  package init(boot: String, isSynced: Bool) {
    self.boot = boot
    self.isSynced = isSynced
  }

  /// Reads the file's content.
  package init(_ bytes: [UInt8]) throws(FormatFailure) {
    let words = String(decoding: bytes, as: UTF8.self).utf8.split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, let state = String(words[0]), let boot = String(words[1]) else {
      throw FormatFailure(.value, at: 0)
    }
    self.init(boot: boot, isSynced: state == "synced")
    guard encoded() == bytes else { throw FormatFailure(.checksum, at: 0) }
  }
}

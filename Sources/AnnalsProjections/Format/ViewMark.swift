internal import AnnalsCoding
internal import AnnalsSchema

/// The content of the file `v-NNNNNN.state` next to the file of a view: the view's identity, and whether a
/// power loss can have damaged the file.
package struct ViewMark: Equatable, Sendable {
  /// More bytes than any mark has.
  static let limit = 4_000

  /// The projection's name.
  package var name: String
  /// The version of the projection.
  var version: Int
  /// The run of the operating system that wrote it; empty where the system does not say.
  var boot: String
  /// Whether the disk has all that was committed. If not, the file can be used only as long as the same run
  /// of the system lasts.
  package var isSynced: Bool

  /// Whether a file with this mark can be used in a run of the system.
  func isUsable(in boot: String?) -> Bool {
    isSynced || (!self.boot.isEmpty && self.boot == boot)
  }

  /// The bytes of the name in hexadecimal digits, the version, `synced` or `unsynced`, the run, and the
  /// CRC-32C of what is before it in eight hexadecimal digits, with a blank before each but the first; a
  /// newline.
  func encoded() -> [UInt8] {
    let line = "\(Array(name.utf8).hexadecimal) \(version) \(isSynced ? "synced" : "unsynced") \(boot)"
    let digits = String(Checksum.crc32c(Array(line.utf8).span), radix: 16)
    return Array("\(line) \(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\n".utf8)
  }

  init(name: String, version: Int, boot: String, isSynced: Bool) {
    self.name = name
    self.version = version
    self.boot = boot
    self.isSynced = isSynced
  }

  /// Reads the file's content.
  init(_ bytes: [UInt8]) throws(FormatFailure) {
    let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 5,
      let version = Int(String(decoding: words[1], as: UTF8.self))
    else { throw FormatFailure(.value, at: 0) }
    guard let name = [UInt8](hexadecimal: Substring(String(decoding: words[0], as: UTF8.self))) else {
      throw FormatFailure(.value, at: 0)
    }
    self.init(
      name: String(decoding: name, as: UTF8.self), version: version,
      boot: String(decoding: words[3], as: UTF8.self),
      isSynced: words[2].elementsEqual("synced".utf8))
    guard encoded() == bytes else { throw FormatFailure(.checksum, at: 0) }
  }
}

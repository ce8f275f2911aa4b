#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The payloads to start from. Each line of the files next to this one is a payload in hexadecimal digits, or
/// a remark after `#`.
enum Corpus {
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// All of them, in the order of the files' names.
  static func payloads() throws -> [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var payloads: [[UInt8]] = []
    for name in names {
      let text = String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        payloads.append(try payload(line, in: name))
      }
    }
    guard !payloads.isEmpty else { throw Unreadable(description: "no payloads in \(folder.path)") }
    return payloads
  }

  private static func payload(_ line: Substring, in name: String) throws -> [UInt8] {
    let digits = line.filter { $0 != " " }
    guard digits.count.isMultiple(of: 2) else {
      throw Unreadable(description: "\(name): half a byte in \(line)")
    }
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else {
        throw Unreadable(description: "\(name): no hexadecimal digits in \(line)")
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

import Annals

/// The name of a fixture's file.
struct FixtureName: Hashable {
  /// The version that the payloads were stored under.
  let stored: SchemaVersion
  /// The version of which the file says what they are in it; `nil` for the payloads themselves.
  let read: SchemaVersion?

  /// The file of what a version stored.
  init(stored: SchemaVersion) {
    self.stored = stored
    read = nil
  }

  /// The file of what payloads of a version are in another.
  init(_ stored: SchemaVersion, as read: SchemaVersion) {
    self.stored = stored
    self.read = read
  }

  /// The name that `text` is; `nil` for the names of other files.
  init?(_ text: String) {
    guard text.hasSuffix(".txt") else { return nil }
    let stem = text.dropLast(4)
    if stem.hasSuffix(".stored"), let stored = SchemaVersion(String(stem.dropLast(7))) {
      self.init(stored: stored)
    } else {
      let parts = stem.split(separator: ".as.", maxSplits: 1)
      guard parts.count == 2, let stored = SchemaVersion(String(parts[0])),
        let read = SchemaVersion(String(parts[1]))
      else { return nil }
      self.init(stored, as: read)
    }
  }

  /// The name.
  var text: String { read.map { "\(stored).as.\($0).txt" } ?? "\(stored).stored.txt" }

  /// The versions that it names.
  var versions: [SchemaVersion] { [stored] + (read.map { [$0] } ?? []) }
}

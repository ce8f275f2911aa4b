import Annals

/// The name of a fixture's file.
struct FixtureName: Hashable {
  /// The source of the payloads of a file.
  enum Content: Hashable, CaseIterable {
    /// The samples of each record.
    case samples
    /// The logs that the schema declares.
    case logs
  }

  /// The source of the payloads.
  let content: Content
  /// The version under which the payloads were stored.
  let stored: SchemaVersion
  /// The version in which the file shows the payloads; `nil` for the file of the payloads themselves.
  let read: SchemaVersion?

  /// Creates the name of the file with the payloads of a version, or with those payloads read in another
  /// version.
  init(_ content: Content, _ stored: SchemaVersion, as read: SchemaVersion? = nil) {
    self.content = content
    self.stored = stored
    self.read = read
  }

  /// Parses a name; `nil` for the names of other files.
  init?(_ text: String) {
    guard text.hasSuffix(".txt") else { return nil }
    let stem = String(text.dropLast(4))
    for content in Content.allCases {
      let ending = content.storedEnding
      if stem.hasSuffix(ending), let stored = SchemaVersion(String(stem.dropLast(ending.count))) {
        self.init(content, stored)
        return
      }
      let parts = stem.split(separator: "\(content.readInfix).as.", maxSplits: 1)
      if parts.count == 2, let stored = SchemaVersion(String(parts[0])),
        let read = SchemaVersion(String(parts[1]))
      {
        self.init(content, stored, as: read)
        return
      }
    }
    return nil
  }

  /// The name.
  var text: String {
    if let read {
      "\(stored)\(content.readInfix).as.\(read).txt"
    } else {
      "\(stored)\(content.storedEnding).txt"
    }
  }

  /// The versions in the name.
  var versions: [SchemaVersion] { [stored] + (read.map { [$0] } ?? []) }
}

extension FixtureName: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.content != right.content { return left.content == .samples }
    if left.stored != right.stored { return left.stored < right.stored }
    guard let read = right.read else { return false }
    return left.read.map { $0 < read } ?? true
  }
}

extension FixtureName.Content {
  /// The text between the version and `.txt` in the name of the file of payloads.
  fileprivate var storedEnding: String {
    switch self {
    case .samples: ".stored"
    case .logs: ".logs"
    }
  }

  /// The text before `.as.` in the name of a file of events.
  fileprivate var readInfix: String {
    switch self {
    case .samples: ""
    case .logs: ".logs"
    }
  }
}

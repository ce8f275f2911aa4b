internal import AnnalsCoding
internal import AnnalsFormat

/// An entry that a scan has passed, as far as its place in its stream needs it.
struct PassedEntry: Sendable {
  /// How many are passed before the trails of all of them are followed: their streams are anywhere in memory,
  /// and are loaded at the same time.
  static let run = 16

  let stream: Position
  let revision: Revision
  let hasID: Bool
  let position: Position
  /// Where its links lead; 0 for one that cannot be read.
  let links: EntryLinks
  /// The hash of the stream's name, of a stream's first entry.
  let name: StreamHash?
}

extension PassedEntry {
  init(_ header: EntryHeader, _ position: Position, _ links: EntryLinks, _ name: StreamHash?) {
    self.init(
      stream: header.stream, revision: header.revision, hasID: header.flags.contains(.id), position: position,
      links: links, name: name)
  }
}

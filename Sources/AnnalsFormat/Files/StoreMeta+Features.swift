package import AnnalsCoding

extension StoreMeta {
  /// The features that this library knows, by name.
  package static let knownFeatures: Set<String> = [
    Requirement.inline.name, Requirement.ids.name, Requirement.readers.name,
    Requirement.unreadGroups.name, Requirement.journal.name, Requirement.tags.name,
    Requirement.streams.name, Requirement.times.name, Requirement.attachments.name,
    Requirement.personal.name, Requirement.cluster.name, Requirement.journalHash.name,
    Requirement.originals.name,
  ]

  /// The first feature that this library does not know.
  package static func unknown(_ requires: [Requirement]) -> Requirement? {
    requires.first { !knownFeatures.contains($0.name) }
  }

  /// Throws `.needsNewer` for a feature that must be known and is not.
  package static func check(_ requires: [Requirement], forWriting: Bool) throws(AnnalsError) {
    for requirement in requires where !knownFeatures.contains(requirement.name) {
      if requirement.isForReading || forWriting {
        throw AnnalsError(
          .needsNewer,
          "the store needs '\(requirement.name)' to be \(requirement.isForReading ? "read" : "written"), which this version of the library does not know; use a newer one"
        )
      }
    }
  }
}

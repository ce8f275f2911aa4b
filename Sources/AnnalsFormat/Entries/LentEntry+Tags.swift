package import AnnalsCoding

extension LentEntry {
  /// Whether the entry has all of these tags, which are in the order of their bytes.
  package func hasAll(_ tags: [EventTag]) throws(AnnalsError) -> Bool {
    guard header.flags.contains(.extensions) else { return tags.isEmpty }
    var next = 0
    let bytes = bytes
    do throws(FormatFailure) {
      try header.eachTag(in: bytes, at: position) { stored in
        if next < tags.count, bytes.extracting(stored.text).isEqual(to: tags[next].text.utf8.span) {
          next += 1
        }
        return next < tags.count
      }
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    return next == tags.count
  }

  /// The tags of the entry, in the order of their bytes.
  package var tags: [EventTag] {
    get throws(AnnalsError) {
      guard header.flags.contains(.extensions) else { return [] }
      do { return try header.tags(in: bytes, at: position) } catch {
        throw AnnalsError(error, place: "position \(position)", position: position)
      }
    }
  }
}

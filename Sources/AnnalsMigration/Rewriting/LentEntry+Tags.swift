internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension LentEntry {
  /// The bytes of a stub or of an entry with tags, without these, their links and the checksum; `nil` for
  /// other entries. Most stubs lose their tags in a pass.
  var bytesWithoutTags: [UInt8]? {
    let isStub = header.flags.contains(.stub)
    guard isStub || header.flags.contains(.extensions) else { return nil }
    do throws(FormatFailure) {
      var extensions = try EntryExtensions(bytes, header)
      guard isStub || extensions[TagList.key] != nil else { return nil }
      extensions[TagList.key] = nil
      var rest = bytes.extracting(EntryHeader.checksum.upperBound..<header.extensions).copied
      rest += extensions.encoded()
      rest.append(bytes.extracting(header.rows..<bytes.count))
      return rest
    } catch {
      // A layout that cannot be read is compared as it is; `verify` reports it.
      return nil
    }
  }

  /// A checksum of the texts of the entry's tags; `nil` if there are none that a pass keeps.
  var tagDigest: UInt64? {
    guard header.flags.contains(.extensions), !header.flags.contains(.stub) else { return nil }
    do throws(FormatFailure) { return try header.tags(in: bytes, at: position).digest } catch {
      // Relinking such an entry fails, so the pass does not succeed.
      return 1
    }
  }
}

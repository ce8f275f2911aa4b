internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Parses lines of JSON as entries to be stored, without any input or output.
struct EntryLineReader: Sendable {
  /// A line is an object around a payload, which may itself be as deep as a payload can be.
  private static let depthLimit = CBOR.depthLimit + 1
  /// The member of a stub: the remainder of a removed or erased entry, or the record of a change.
  private static let stub = "stub"
  /// The member of a part of an entry that a migration has split.
  private static let path = "path"

  private let options: ImportOptions
  private let keys: [(field: EntryField, key: String)]
  private let maximumPayload: Int

  /// Creates a reader of lines as `options` describe them, whose payloads have at most `maximumPayload`
  /// bytes.
  init(_ options: ImportOptions, maximumPayload: Int) {
    self.options = options
    keys = EntryField.allCases.map { ($0, options.key(of: $0)) }
    self.maximumPayload = maximumPayload
  }

  /// Parses the line `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: The line in UTF-8, without its end.
  ///   - number: Its number, for errors.
  /// - Returns: `nil` for a stub, where those are left out.
  /// - Throws: ``AnnalsError`` with code `malformed`, `invalidName` or `tooLarge`, and the line.
  func line(_ bytes: Span<UInt8>, number: Int) throws(AnnalsError) -> EntryLine? {
    let value: CBOR
    do {
      value = try JSONReader.value(of: bytes, number: number, depthLimit: Self.depthLimit)
    } catch {
      throw AnnalsError(error)
    }
    do throws(EntryLine.Refusal) {
      guard let members = try members(of: value) else { return nil }
      return try line(members)
    } catch {
      let column = error.place.flatMap { place in
        JSONReader.column(
          ofMember: place.key, element: place.element, in: bytes, depthLimit: Self.depthLimit)
      }
      throw AnnalsError(
        error.code, "line \(number)\(column.map { ", column \($0)" } ?? ""): \(error.problem)",
        details: AnnalsError.Details {
          $0.line = number
          $0.column = column
        }, underlying: error.underlying)
    }
  }

  private func members(of value: CBOR) throws(EntryLine.Refusal) -> EntryMembers? {
    guard case .map(let pairs) = value else {
      throw EntryLine.Refusal(.malformed, "it is not an object")
    }
    var members = EntryMembers()
    for pair in pairs {
      if case .null = pair.value { continue }
      var isField = false
      for (field, key) in keys where pair.hasKey(key) {
        members[field] = pair.value
        isField = true
      }
      if !isField, pair.hasKey(Self.stub) {
        if options.skipsStubs { return nil }
        throw EntryLine.Refusal(
          .malformed,
          "it has 'stub', so it is what is left of a removed or erased entry, or the record of a change; leave such lines out with '--skip-stubs' (ImportOptions.skipsStubs), or copy the store with 'backup' and 'restore'"
        )
      }
      if !isField, pair.hasKey(Self.path) {
        throw EntryLine.Refusal(
          .malformed,
          "it has 'path', as a part of an entry that a migration split; such entries are copied by 'backup' and 'restore' alone"
        )
      }
    }
    return members
  }

  private func line(_ members: EntryMembers) throws(EntryLine.Refusal) -> EntryLine {
    let stream = try name(members, .stream)
    let type = try name(members, .type)
    var version = options.version
    if version == nil { version = try self.version(members) }
    var event = AppendRequest.Event(
      record: RecordKind(type: ExactText(type), version: version), payload: try payload(members))
    event.id = try id(members)
    event.metadata = try metadata(members)
    event.time = try time(members)
    event.attachments = try attachments(members)
    event.tags = try tags(members)
    let name = StreamName(stream)
    if SystemEntry.isReserved(name) {
      let error = AnnalsError(reservedStream: name)
      throw EntryLine.Refusal(error.code, error.message, error)
    }
    return EntryLine(stream: name, event: event)
  }

  private func refusal(
    _ field: EntryField, _ problem: String, _ underlying: (any Error)? = nil
  ) -> EntryLine.Refusal {
    EntryLine.Refusal(field, under: options.key(of: field), problem, underlying)
  }

  private func name(_ members: EntryMembers, _ field: EntryField) throws(EntryLine.Refusal) -> String {
    guard let value = members[field] else { throw refusal(field, "is missing") }
    guard case .text(let name) = value else { throw refusal(field, "is not a text") }
    do {
      try NameRule.check(name, role: field.rawValue)
    } catch {
      throw EntryLine.Refusal(error.code, error.message, error)
    }
    return name
  }

  private func version(_ members: EntryMembers) throws(EntryLine.Refusal) -> SchemaVersion? {
    switch members[.version] {
    case nil: return nil
    case .unsigned(let number):
      guard let major = UInt32(exactly: number) else { throw refusal(.version, "is too large a number") }
      return SchemaVersion(major, 0, 0)
    case .text(let text):
      guard let version = SchemaVersion(text) else {
        throw refusal(.version, "is not one to three whole numbers with dots between")
      }
      return version
    default: throw refusal(.version, "is neither a text nor a whole number")
    }
  }

  private func time(_ members: EntryMembers) throws(EntryLine.Refusal) -> Int64? {
    guard let value = members[.time] else { return nil }
    guard case .text(let text) = value else { throw refusal(.time, "is not a text") }
    do {
      return try Timestamp(parsing: text).microseconds
    } catch {
      throw refusal(.time, "is no date or time in a form of ISO 8601 (\(error))", error)
    }
  }

  private func id(_ members: EntryMembers) throws(EntryLine.Refusal) -> UUID? {
    guard let value = members[.id] else { return nil }
    guard case .text(let text) = value, let id = UUID(uuidString: text) else {
      throw refusal(.id, "is not the text of a UUID")
    }
    do throws(AnnalsError) { return try id.checked() } catch {
      throw refusal(.id, "is not random: a process without descriptors gives it to every event", error)
    }
  }

  private func metadata(_ members: EntryMembers) throws(EntryLine.Refusal) -> [UInt8] {
    guard let value = members[.metadata] else { return [] }
    let bytes = try object(value, .metadata, limit: AppendLimit.metadata)
    // An empty map is no metadata, as it is for every other writer.
    return bytes.count == 1 ? [] : bytes
  }

  private func attachments(_ members: EntryMembers) throws(EntryLine.Refusal) -> [ContentHash] {
    guard let value = members[.attachments] else { return [] }
    guard case .array(let values) = value else { throw refusal(.attachments, "is not an array") }
    var hashes: [ContentHash] = []
    for value in values {
      guard case .text(let text) = value, let hash = ContentHash(text) else {
        throw refusal(.attachments, "has an element that is not 64 hexadecimal digits in lower case")
      }
      hashes.append(hash)
    }
    return hashes
  }

  private func tags(_ members: EntryMembers) throws(EntryLine.Refusal) -> [EventTag] {
    guard let value = members[.tags] else { return [] }
    let key = options.key(of: .tags)
    guard case .array(let values) = value else { throw refusal(.tags, "is not an array of texts").at(key) }
    var tags: Set<EventTag> = []
    for (index, value) in values.enumerated() {
      guard case .text(let text) = value else {
        throw refusal(.tags, "has an element that is not a text").at(key, element: index)
      }
      let tag = EventTag(text)
      do { try tag.check() } catch {
        throw EntryLine.Refusal(error.code, error.message, error).at(key, element: index)
      }
      tags.insert(tag)
    }
    guard tags.count <= TagList.maximumCount else {
      throw EntryLine.Refusal(
        .tooLarge, "an event has at most \(TagList.maximumCount) tags, and this one has \(tags.count)"
      ).at(key)
    }
    return Array(tags)
  }

  private func payload(_ members: EntryMembers) throws(EntryLine.Refusal) -> [UInt8] {
    guard let value = members[.data] else { throw refusal(.data, "is missing") }
    if let field = value.sealedField {
      throw refusal(
        .data,
        "has an encrypted value in '\(field)', which no keys open in another store; copy stores of personal data with 'backup' and 'restore', or import what 'dump --as' of their plan writes"
      )
    }
    return try object(value, .data, limit: maximumPayload)
  }

  private func object(
    _ value: CBOR, _ field: EntryField, limit: Int
  ) throws(EntryLine.Refusal) -> [UInt8] {
    guard case .map = value else { throw refusal(field, "is not an object") }
    let bytes: [UInt8]
    do {
      bytes = try value.encodedPayload()
    } catch {
      throw refusal(field, "cannot be stored: \(error)", error)
    }
    guard bytes.count <= limit else {
      throw EntryLine.Refusal(
        .tooLarge, "the field '\(field.rawValue)' has at most \(limit) bytes, and this one has \(bytes.count)"
      )
    }
    return bytes
  }
}

extension CBOR {
  /// The first field whose value is what a dump writes for an encrypted one.
  ///
  /// A reader would take it for a value that is not encrypted, and find nothing that it knows in it.
  fileprivate var sealedField: String? {
    let sealed = pairs?.first { field in
      guard field.value.pairs?.count == 1, let value = field.value["sealed"], value.pairs?.count == 2,
        case .bytes = value["box"], case .unsigned = value["key"]
      else { return false }
      return true
    }
    return sealed?.key.text
  }
}

extension AnnalsError {
  /// The error for a line that is not JSON.
  init(_ failure: JSONFailure) {
    self.init(
      failure.reason == .lineTooLong ? .tooLarge : .malformed, failure.description,
      details: Details {
        $0.line = failure.line
        $0.column = failure.column
      }, underlying: failure)
  }
}

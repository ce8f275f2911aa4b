internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// One line of an import: an entry to store, and its stream.
struct EntryLine: Sendable {
  let stream: StreamName
  let event: AppendRequest.Event

  /// The number of bytes that the line takes in an append call.
  var size: Int {
    event.payload.count + event.metadata.count + stream.text.utf8.count + event.record.type.text.utf8.count
      + AppendLimit.overhead + event.tags.reduce(0) { $0 + $1.text.utf8.count + AppendRequest.tagOverhead }
  }
}

extension EntryLine {
  /// Why a line that is JSON is no entry.
  struct Refusal: Error {
    let code: AnnalsError.Code
    let problem: String
    let underlying: (any Error)?
    /// The member of the line that it is about, and the element of that, if they are to be named by column.
    private(set) var place: (key: String, element: Int?)?

    /// The problem of the line, in words without any of its data.
    init(_ code: AnnalsError.Code, _ problem: String, _ underlying: (any Error)? = nil) {
      self.code = code
      self.problem = problem
      self.underlying = underlying
    }

    /// Creates the refusal of `field`, which the line has under `key`.
    init(_ field: EntryField, under key: String, _ problem: String, _ underlying: (any Error)? = nil) {
      let place = key.utf8.elementsEqual(field.rawValue.utf8) ? "" : " (key '\(key)')"
      self.init(.malformed, "the field '\(field.rawValue)'\(place) \(problem)", underlying)
    }

    /// The same refusal at the column of a member, or of an element of it.
    func at(_ key: String, element: Int? = nil) -> Refusal {
      var refusal = self
      refusal.place = (key, element)
      return refusal
    }
  }
}

/// The known members of a line's object; `nil` if absent or null.
struct EntryMembers {
  private var values: [CBOR?] = Array(repeating: nil, count: EntryField.allCases.count)

  subscript(field: EntryField) -> CBOR? {
    get { values[Self.index(of: field)] }
    set { values[Self.index(of: field)] = newValue }
  }

  private static func index(of field: EntryField) -> Int {
    switch field {
    case .stream: 0
    case .type: 1
    case .version: 2
    case .time: 3
    case .id: 4
    case .metadata: 5
    case .attachments: 6
    case .data: 7
    case .tags: 8
    }
  }
}

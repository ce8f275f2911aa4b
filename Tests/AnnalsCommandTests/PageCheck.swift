/// The elements and texts of an HTML page, read strictly: every element must be closed, and every
/// attribute quoted.
struct PageCheck {
  /// The names of the elements, each as often as it appears.
  private(set) var elements: [String] = []
  /// The names of the attributes.
  private(set) var attributes: Set<String> = []
  /// The texts between elements, without escapes.
  private(set) var texts: [String] = []
  /// The first problem; `nil` if there is none.
  private(set) var problem: String?

  private static let void: Set<String> = ["meta", "!DOCTYPE"]

  init(_ page: String) {
    var open: [String] = []
    var rest = Substring(page)
    while !rest.isEmpty {
      guard let start = rest.firstIndex(of: "<") else {
        add(text: rest)
        break
      }
      add(text: rest[..<start])
      guard let end = rest[start...].firstIndex(of: ">") else {
        problem = problem ?? "a tag does not end"
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        let name = String(tag.dropFirst())
        if open.popLast() != name { problem = problem ?? "</\(name)> closes another element" }
        continue
      }
      let name = String(tag.prefix { $0 != " " })
      elements.append(name)
      add(attributes: tag.dropFirst(name.count))
      if name == "style" {
        let sheet = rest.range(of: "</style>")
        rest = rest[(sheet?.lowerBound ?? rest.endIndex)...]
      }
      if !Self.void.contains(name) { open.append(name) }
    }
    if let last = open.last { problem = problem ?? "<\(last)> is not closed" }
  }

  private mutating func add(text: Substring) {
    if text.contains("\"") || text.contains("'") || text.contains(">") {
      problem = problem ?? "a text has a bare character: \(text)"
    }
    let plain = Self.plain(text)
    if !plain.allSatisfy(\.isWhitespace) { texts.append(plain) }
  }

  private mutating func add(attributes text: Substring) {
    var rest = text
    while let start = rest.firstIndex(where: { $0 != " " }), elements.last?.hasPrefix("!") == false {
      rest = rest[start...]
      guard let equals = rest.firstIndex(of: "="), rest[equals...].hasPrefix("=\"") else {
        problem = problem ?? "an attribute has no quotation mark: \(rest)"
        return
      }
      attributes.insert(String(rest[..<equals]))
      let value = rest[rest.index(equals, offsetBy: 2)...]
      guard let end = value.firstIndex(of: "\"") else {
        problem = problem ?? "an attribute does not end: \(rest)"
        return
      }
      rest = value[value.index(after: end)...]
    }
  }

  private static func plain(_ text: Substring) -> String {
    var plain = String(text)
    for (escape, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ] {
      plain = plain.split(separator: escape, omittingEmptySubsequences: false).joined(separator: character)
    }
    return plain
  }
}

extension Substring {
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}

/// A writer of HTML that escapes every text and every attribute. Markup comes from literals alone.
struct HTMLWriter {
  /// The HTML written so far.
  private(set) var text = ""

  /// Appends markup that is part of the program.
  mutating func markup(_ markup: StaticString) {
    text += markup.description
  }

  /// Appends a text that may hold anything.
  mutating func append(_ content: String) {
    text += Self.escaped(content)
  }

  /// Appends an element with `content` as its text.
  ///
  /// - Parameters:
  ///   - name: The element.
  ///   - attributes: Its attributes. Their names are part of the program; their values may hold anything.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ content: String
  ) {
    element(name, attributes) { $0.append(content) }
  }

  /// Appends an element without attributes, with `content` as its text.
  mutating func element(_ name: StaticString, _ content: String) {
    element(name, [:], content)
  }

  /// Appends an element with the content that `body` appends.
  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
    _ body: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    body(&self)
    text += "</\(name)>"
  }

  /// Appends the begin of an element.
  mutating func open(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:]
  ) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
    text += ">"
  }

  /// Returns a text without any character that has a meaning in HTML, and with control characters made
  /// visible, so that none can change the direction or the look of the page.
  static func escaped(_ content: String) -> String {
    var result = ""
    for scalar in PlainText.line(content).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

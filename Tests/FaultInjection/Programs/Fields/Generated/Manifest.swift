import Annals

/// A record with parts that have no shape: one alone, one that may be missing and one inside a value.
@Record struct Manifest: Record {
  struct Line: Codable, Equatable {
    var goods: String
    var count: Int?
    var lines: [Line]
    var codes: [Int: String]?
  }
  @Value struct Page {
    var number: UInt16
    var line: Line
  }

  var before: Int
  var line: Line
  var last: Line?
  var pages: [Page]
  var after: String?

  static var samples: [Manifest] {
    let line = Line(
      goods: "tea", count: 3, lines: [Line(goods: "", count: nil, lines: [], codes: nil)], codes: [1: "a"])
    return [
      Manifest(before: 1, line: line, last: line, pages: [Page(number: 7, line: line)], after: "z"),
      Manifest(before: 0, line: line, last: nil, pages: [], after: nil),
    ]
  }
}

import SwiftDiagnostics
import SwiftSyntax

extension NameArguments {
  /// Returns the name of the tag that a field of a record gives its events; `nil` if there is none.
  ///
  /// - Parameter owner: What has the field: a record, or a value, whose fields are no tags.
  mutating func tagName(of owner: String) -> DiskName? {
    guard let expression = expression("tag") else { return nil }
    guard let name = name("tag") else { return nil }
    guard owner == "record" else {
      complain(
        expression,
        "only a field of a @Record can be a tag, and this is one of a @Value: tag a field of the record, or write 'static func tags' in it"
      )
      return nil
    }
    guard !name.text.contains(":") else {
      complain(
        expression,
        "the name of a tag ends at its colon and cannot hold one: write one such as tag: \"course\"")
      return nil
    }
    return name
  }
}

internal import AnnalsCoding
package import AnnalsShapes

/// The reason why a lock file cannot be read.
package struct LockFailure: Error, Equatable, Sendable {
  /// The rule that was broken.
  package enum Reason: Equatable, Sendable {
    /// The file is not a plan's lock file.
    case foreign
    /// The file has a later format.
    case newer(String)
    /// The line is not UTF-8.
    case notText
    /// The line is not allowed at this place.
    case unexpected
    /// The line is not in the canonical form that the library writes.
    case notCanonical
    /// The version is not higher than the one before, or the name does not sort after the one before.
    case disorder
    /// The stage does not begin at the version above.
    case stage
    /// The name cannot be stored.
    case name
    /// The form is no shape.
    case form(ShapeFailure)
    /// The fingerprint is not that of the form.
    case fingerprint
    /// The count or the fingerprint of samples is invalid.
    case digest
    /// The file, or a version in it, ends within a record or before its stage.
    case truncated
  }
  /// The rule that was broken.
  package let reason: Reason
  /// The line, counted from 1.
  package let line: Int
}

extension LockFailure: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch reason {
    case .foreign: "this is no lock file of a plan: its first line is not 'annals plan lock 1'"
    case .newer(let form):
      "the file has form \(form), and this library reads form \(PlanLock.newestForm): use a newer library"
    case .notText: "the line is not UTF-8"
    case .unexpected: "no such line may stand here"
    case .notCanonical: "the line is not as it was written"
    case .disorder: "the versions do not rise, or the names are not sorted"
    case .stage: "the stage does not lead from the version above it"
    case .name: "no record has such a name"
    case .form(let failure): "the form is no shape: \(failure)"
    case .fingerprint: "the fingerprint is not the one of the form"
    case .digest: "it is '-', or a count and 64 hexadecimal digits"
    case .truncated: "something is missing here"
    }
  }
}

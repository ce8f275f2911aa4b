package import AnnalsCoding
internal import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A lease that shows other programs that a store is open here, and the version it is read in. It ends with
/// the store.
package final class ProgramLease: Sendable {
  private let file: HeldFile

  private init(_ file: HeldFile) {
    self.file = file
  }

  /// Takes a lease in the store at `directory`.
  ///
  /// - Parameters:
  ///   - version: The highest version that the program reads.
  ///   - options: How the store is opened.
  /// - Returns: `nil` for a reader that may not create a file there.
  package static func take(
    _ version: SchemaVersion, _ options: StoreOptions, in directory: Directory
  ) throws(AnnalsError) -> ProgramLease? {
    let content = ProgramLeaseFile(version: version, skips: options.newerTypes == .skip)
    do throws(StoreFileError) {
      if options.access == .readOnly, try directory.fileSystem().isReadOnly { return nil }
      return ProgramLease(
        try HeldFile(in: directory, content: content.encoded()) {
          ProgramLeaseFile.name(UUID.random().uuidString)
        })
    } catch {
      switch error {
      // A reader requires nothing of others, and reads the events that it can read.
      case .permission, .diskFull: if options.access == .readOnly { return nil }
      default: break
      }
      throw AnnalsError(error)
    }
  }
}

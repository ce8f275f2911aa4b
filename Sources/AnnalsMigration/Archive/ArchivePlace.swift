internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The place of a pass's archive: a file and its directory.
struct ArchivePlace: Equatable, Sendable {
  /// The bytes of the path, from the root on.
  let path: [UInt8]
  private let slash = UInt8(ascii: "/")

  /// Creates the place that `url` names.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` if it is not the URL of a file.
  init(_ url: URL) throws(AnnalsError) {
    let bytes = try url.exactPath()
    guard bytes.last != UInt8(ascii: "/") else {
      throw AnnalsError(
        .wrongUse, "the archive of a migration pass is a file, and its path ends with a slash")
    }
    path =
      bytes.first == UInt8(ascii: "/")
      ? bytes : Array(FileManager.default.currentDirectoryPath.utf8) + [UInt8(ascii: "/")] + bytes
  }

  /// Creates the place that a row has recorded.
  init(path: [UInt8]) {
    self.path = path
  }

  /// The path for messages.
  var text: String { FileName.text(path) }
  /// The name inside the directory.
  var name: [UInt8] { Array(path[((path.lastIndex(of: slash) ?? -1) + 1)...]) }

  /// Opens the directory of the file.
  func directory() throws(AnnalsError) -> Directory {
    do throws(StoreFileError) {
      // With the dot a symbolic link above the file is followed.
      return try Directory.open(path: path.dropLast(name.count) + [UInt8(ascii: ".")])
    } catch .missing {
      throw AnnalsError(
        .cannotCreate, "the directory above the archive '\(text)' does not exist; create it first")
    } catch .notDirectory {
      throw AnnalsError(.cannotCreate, "what is above the archive '\(text)' is not a directory")
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Throws `cannotCreate` if the name is taken.
  func mustBeFree() throws(AnnalsError) {
    let directory = try directory()
    guard try files({ () throws(StoreFileError) in try directory.status(of: name) }) == nil else {
      throw taken
    }
  }

  /// The error for a name that is taken.
  var taken: AnnalsError {
    AnnalsError(
      .cannotCreate,
      "something called '\(text)' is there already, and no unfinished pass of this store has made it; nothing was changed: name another archive, or move it away"
    )
  }
}

package import AnnalsCoding
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A small file that is read and replaced as a whole, named by the exact bytes of its path.
package struct WholeFile {
  /// The maximum number of bytes that such a file may have.
  private static let limit = 1 << 30
  /// The permissions of a new one, which everybody may read.
  private static let permissions: UInt32 = 0o644

  private let url: URL
  /// What the file is, for messages.
  private let role: String

  package init(_ url: URL, role: String = "lock file") {
    self.url = url
    self.role = role
  }

  /// The file's name, for messages.
  package var name: String {
    do {
      return FileName.text(try url.exactPath().split(separator: UInt8(ascii: "/")).last ?? [])
    } catch {
      return url.lastPathComponent
    }
  }

  /// The content; `nil` if there is no such file.
  ///
  /// - Throws: ``AnnalsError`` with code `permission` or `inputOutput`.
  package func read() throws(AnnalsError) -> [UInt8]? {
    let path = try url.exactPath()
    do throws(StoreFileError) { return try File.open(path: path).readAll(limit: Self.limit) } catch .missing {
      return nil
    } catch {
      throw failure(error, "reading", path)
    }
  }

  /// Replaces the file with `bytes`, atomically and durably.
  ///
  /// - Throws: ``AnnalsError`` with code `cannotCreate` if it has no directory, is one, or is not a regular
  ///   file; `readOnly`, `permission`, `diskFull` or `inputOutput`.
  package func replace(with bytes: [UInt8]) throws(AnnalsError) {
    let path = try url.exactPath()
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { Array(path[...$0]) } ?? []
    guard let file = String(validating: slash.map { path[($0 + 1)...] } ?? path[...], as: UTF8.self) else {
      throw AnnalsError(.wrongUse, "the name of the \(role) '\(name)' is not UTF-8; give it another one")
    }
    let directory = try directory(folder, of: path)
    do throws(StoreFileError) {
      let old = try directory.status(of: file)
      guard !file.isEmpty, old?.isDirectory != true else { throw .alreadyThere(file: file) }
      // Root could replace a device, and the link /dev/stdout.
      guard old?.isRegular != false else { throw .notRegular(file: file) }
      try directory.replace(
        file, with: bytes.span, permissions: old.map { $0.permissions & 0o777 } ?? Self.permissions)
    } catch .alreadyThere {
      throw refusal(path, "it is a directory; give it the name of a file")
    } catch .notRegular {
      throw refusal(path, "it is a link, a device or a pipe; give it the name of a file")
    } catch {
      throw failure(error, "writing", path)
    }
  }

  private func directory(_ folder: [UInt8], of path: [UInt8]) throws(AnnalsError) -> Directory {
    do throws(StoreFileError) { return try Directory.open(path: folder + ".".utf8) } catch .missing {
      throw refusal(path, "the directory above it does not exist; create it first")
    } catch .notDirectory {
      throw refusal(path, "what is above it is not a directory")
    } catch {
      throw failure(error, "writing", path)
    }
  }

  /// The error for a path at which no file can be.
  private func refusal(_ path: [UInt8], _ reason: String) -> AnnalsError {
    AnnalsError(
      .cannotCreate, "writing the \(role) '\(FileName.text(path))' failed: \(reason)",
      details: AnnalsError.Details { [name] in $0.file = name })
  }

  private func failure(_ error: StoreFileError, _ work: String, _ path: [UInt8]) -> AnnalsError {
    let code: AnnalsError.Code =
      switch error {
      case .permission: error.isOfReadOnlyMount ? .readOnly : .permission
      case .diskFull: .diskFull
      default: .inputOutput
      }
    return AnnalsError(
      code, "\(work) the \(role) '\(FileName.text(path))' failed\(error.reason.map { ": \($0)" } ?? "")",
      details: AnnalsError.Details { [name] in $0.file = name },
      underlying: error)
  }
}

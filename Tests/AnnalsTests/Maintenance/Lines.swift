import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

extension EventLog {
  /// Imports a text as one that comes in small chunks.
  @discardableResult
  func importText(
    _ text: String, _ options: ImportOptions = ImportOptions()
  ) async throws(AnnalsError) -> ImportReport {
    try await importBytes(Array(text.utf8), options, chunk: 100)
  }

  /// Imports bytes that come in chunks of one size.
  @discardableResult
  func importBytes(
    _ bytes: [UInt8], _ options: ImportOptions = ImportOptions(), chunk: Int = 65_536
  ) async throws(AnnalsError) -> ImportReport {
    var rest = bytes[...]
    return try await importLines(options) { () throws(AnnalsError) in
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(chunk) }
      return Array(rest.prefix(chunk))
    }
  }

  /// Everything that a selection gives, as text.
  func lines(_ selection: EntrySelection = EntrySelection()) throws(AnnalsError) -> [String] {
    var pages = try EntryLines(self, selection)
    var bytes: [UInt8] = []
    while let page = try pages.nextPage() { bytes += page }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The stream, type and payload of every entry.
  func contents() throws(AnnalsError) -> [String] {
    try lines(EntrySelection()).map { line in
      line.replacing(/"position":\d+,|"revision":\d+,|"time":"[^"]*",/, with: "")
    }
  }
}

/// What `body` throws, `nil` where it throws nothing.
func error(of body: () async throws(AnnalsError) -> Void) async -> AnnalsError? {
  do {
    try await body()
    return nil
  } catch {
    return error
  }
}

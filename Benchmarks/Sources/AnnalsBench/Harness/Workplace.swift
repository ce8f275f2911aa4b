#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Directories for the stores of a run.
enum Workplace {
  /// A directory in which none can be made.
  struct Failure: Error, CustomStringConvertible {
    let parent: String

    var description: String { "cannot make a directory in '\(parent)'; it must exist and be writable" }
  }

  /// The directory with this path, or the system's for temporary files.
  static func parent(_ path: String?) -> URL {
    path.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
  }

  /// Lends a new directory inside `parent`, which exists, removed with all that is in it when `body` is done.
  static func lend<Result>(
    inside parent: URL, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    let directory = parent.appendingPathComponent("annals-bench-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false) } catch {
      throw Failure(parent: parent.path)
    }
    let result: Result
    do { result = try await body(directory) } catch {
      try FileManager.default.removeItem(at: directory)
      throw error
    }
    try FileManager.default.removeItem(at: directory)
    return result
  }
}

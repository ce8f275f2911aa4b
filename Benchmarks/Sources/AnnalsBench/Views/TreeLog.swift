import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of the changes of a repository's files: what a view of the tree is measured with.
///
/// Nine of ten changes write a file and one removes it; a few directories have most of them, as in life.
struct TreeLog: Hashable, Sendable {
  let entries: Int
  let files: Int

  /// The values that distinguish runs with this log from others.
  var parameters: [String: Int] { ["entries": entries, "files": files] }

  /// Where the store is in a directory.
  static func place(in directory: URL) -> URL { directory.appendingPathComponent("tree.annals") }

  /// Creates the store in an empty directory.
  func fill(in directory: URL) async throws {
    var generator = SplitMix64(seed: 1)
    let store = try EventStore(at: Self.place(in: directory), plan: Only<Repository>.self)
    var left = entries
    while left > 0 {
      let count = min(left, Filling.batch)
      var parts: [(stream: StreamName, event: Repository.Event)] = []
      for _ in 0..<count { parts.append(change(&generator)) }
      let batch = parts
      try await store.append { call in
        for part in batch { call.append([part.event], to: part.stream) }
      }
      left -= count
    }
  }

  private func change(_ generator: inout SplitMix64) -> (stream: StreamName, event: Repository.Event) {
    // The square prefers the first files.
    let place = Double.random(in: 0..<1, using: &generator)
    let file = Int(place * place * Double(files))
    let directory = file % 27
    let path = "component\(directory)/lib/component\(directory)/module_\(file / 27 % 40)/file_\(file).rb"
    let isThere = Int.random(in: 0..<10, using: &generator) > 0
    let blob =
      isThere
      ? (0..<5).map { _ in String(UInt32.random(in: 1 << 28 ... .max, using: &generator), radix: 16) }
        .joined() : nil
    return (
      StreamName("rails/component\(directory)"),
      .fileChanged(.init(path: path, mode: isThere ? "100644" : nil, blob: blob))
    )
  }
}

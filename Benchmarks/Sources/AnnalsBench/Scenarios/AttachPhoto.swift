import Annals
// FileHandle is not in FoundationEssentials.
import Foundation

/// Photos of 4 MiB that are attached and appended, compared with plain files of the same size that are
/// written and synced, in turns.
struct AttachPhoto: Scenario {
  let name = "attach-photo"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.8, of: plain)
  /// The number of photos of each kind in a repetition.
  let photos: Int

  private static let size = 4 << 20
  private static let plain = "plain file"

  var parameters: [String: Int] { ["photos": photos, "bytes": Self.size] }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let log = try EventLog(at: AnnalsSubject.place(in: site.directory))
    let payload = try Payload(.map([]))
    return { [self] repetition in
      var (own, plain) = (Duration.zero, Duration.zero)
      var latencies: [Duration] = []
      for photo in 0..<photos {
        // No two contents are the same, so none is shared.
        var content = Data(count: Self.size)
        for offset in stride(from: 0, to: Self.size, by: 512) {
          content[offset] = UInt8(truncatingIfNeeded: offset >> 9 &+ photo)
        }
        content.replaceSubrange(0..<8, with: Data("\(repetition)-\(photo)------".utf8.prefix(8)))
        let start = ContinuousClock.now
        let attached = try log.attach(content)
        try await log.append(
          [NewEntry(type: "Taken", version: nil, payload: payload, attachments: [attached])], to: "album")
        let middle = ContinuousClock.now
        let file = site.directory.appendingPathComponent("plain-\(repetition)-\(photo)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: content)
        try handle.synchronize()
        try handle.close()
        plain += middle.duration(to: .now)
        latencies.append(start.duration(to: middle))
        own += start.duration(to: middle)
      }
      var measurement = Measurement(count: photos, in: own, latencies: latencies)
      measurement.ratios = [Self.plain: plain / own]
      return measurement
    }
  }
}

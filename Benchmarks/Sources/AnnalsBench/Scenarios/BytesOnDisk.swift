#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of all pages in use in a store that was filled and closed, for each byte of payload.
struct BytesOnDisk: Scenario {
  let name = "bytes-on-disk"
  let unit = Unit.bytesPerPayloadByte
  let target: Target? = .atMost(1.35)
  let filling: Filling

  var parameters: [String: Int] { filling.parameters }

  /// A count, which repeats: it is taken once, whatever the number of repetitions.
  func trial<S: Subject>(of subject: S.Type, in directory: URL) async throws -> Trial? {
    try await fill(S.self, in: directory)
    let bytes = try S.bytesStored(in: directory)
    let ratio = Double(bytes) / Double(filling.entries * SampleEvent.payloadBytes)
    return { Measurement(rate: ratio) }
  }

  /// In a function of its own, so that the subject is released, and with it its store closed, when this returns.
  private func fill<S: Subject>(_: S.Type, in directory: URL) async throws {
    try await filling.fill(S(creatingIn: directory))
  }
}

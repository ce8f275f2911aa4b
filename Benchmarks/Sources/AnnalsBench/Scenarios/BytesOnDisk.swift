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

  /// A size, which does not vary: it is taken once, regardless of the number of repetitions.
  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    let bytes = try S.bytesStored(in: await site.stores.store(of: subject, filling))
    let ratio = Double(bytes) / Double(filling.entries * SampleEvent.payloadBytes)
    return { _ in Measurement(rate: ratio) }
  }
}

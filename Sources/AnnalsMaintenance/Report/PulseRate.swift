/// How fast a store changed between two moments.
package struct PulseRate: Sendable, Equatable {
  /// Entries stored per second.
  package let entries: Double
  /// Bytes of payloads stored per second.
  package let payloadBytes: Double
  /// Positions that each follower passed per second, in the order of the later pulse. It is `nil` for one
  /// that the earlier pulse does not have, or that was built again.
  package let followers: [Double?]

  /// Compares two pulses of one store; `nil` if no time has passed between them, or if a pass has replaced
  /// the generation.
  package init?(from earlier: StorePulse, to later: StorePulse) {
    let seconds = later.seconds - earlier.seconds
    guard seconds > 0, earlier.generation == later.generation else { return nil }
    func rate(_ old: UInt64, _ new: UInt64) -> Double { new > old ? Double(new - old) / seconds : 0 }
    entries = rate(earlier.entries, later.entries)
    payloadBytes = rate(earlier.payloadBytes, later.payloadBytes)
    followers = later.followers.map { follower in
      let old = earlier.followers.first {
        $0.role == follower.role && $0.number == follower.number && $0.version == follower.version
          && $0.name.utf8.elementsEqual(follower.name.utf8)
      }
      guard let old, old.position <= follower.position else { return nil }
      return rate(old.position, follower.position)
    }
  }
}

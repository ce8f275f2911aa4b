/// One pass over the whole log, which lies in memory: every byte of every value is read.
struct Scan: Scenario {
  let name = "scan"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.5, of: LMDBPeer.name)
  let filling: Filling

  var parameters: [String: Int] { filling.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    let subject = try S(openingIn: await site.stores.store(of: subject, filling))
    // The first pass maps the pages.
    let expected = try subject.scan()
    guard expected.entries == filling.entries else {
      throw WrongWork(description: "\(S.name) scanned \(expected.entries) of \(filling.entries) entries")
    }
    return { _ in
      let start = ContinuousClock.now
      let total = try subject.scan()
      let time = start.duration(to: .now)
      guard total == expected else { throw WrongWork(description: "two scans of \(S.name) differ") }
      return Measurement(count: total.entries, in: time)
    }
  }

  func trial(of peer: PythonPeer, at site: Site) async throws -> Trial? {
    let filled = try await site.stores.store(of: peer, filling)
    return { [filling] _ in try peer.scan(filled, expecting: filling.entries) }
  }
}

import Annals

extension EventStore {
  /// All events, oldest first.
  func events() throws(AnnalsError) -> [Event] {
    try read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }
}

/// The state of a store after operations that end the lives of events, in memory.
struct LifeModel: Equatable, Sendable {
  /// An event of a stream.
  struct Event: Equatable, Sendable {
    var position: UInt64
    /// The numbers of its contents; empty once it is erased.
    var contents: [UInt8]
    var isErased = false
  }

  /// A stream that has its name.
  struct Stream: Equatable, Sendable {
    var events: [Event] = []
    var isClosed = false
    var oldest: UInt64 = 0
    /// Whether its name leaves with the next pass.
    var isNameless = false
    var next: UInt64 { UInt64(events.count) }
  }

  /// The streams by number.
  var streams: [Int: Stream] = [:]
  /// The position of the newest entry.
  var last: UInt64 = 0
  /// The number of newest events that a rule keeps; `nil` before the first rule.
  var kept: Int?

  /// Returns the states that the store has one after the other during an operation.
  func states(of operation: LifeOperation) -> [LifeModel] {
    var model = self
    switch operation {
    case .append(let stream, let contents):
      for numbers in contents {
        model.last += 1
        model.streams[stream, default: Stream()].events.append(Event(position: model.last, contents: numbers))
      }
      model.streams[stream]?.isNameless = false
    case .attach: break
    case .close(let stream): model.set(isClosed: true, stream)
    case .reopen(let stream): model.set(isClosed: false, stream)
    case .truncate(let stream, let oldest):
      guard let known = streams[stream], min(oldest, known.next) > known.oldest else { break }
      model.streams[stream]?.oldest = min(oldest, known.next)
      model.last += 1
    case .retain(let count):
      // The rule has an entry of its own.
      model.last += 1
      model.kept = count
      var applied = model
      applied.applyRule()
      return [model, applied]
    case .erase(let positions):
      model.erase { positions.contains($0.position) }
    case .eraseStream(let stream):
      let positions = Set(streams[stream]?.events.map(\.position) ?? [])
      let wasNameless = streams[stream]?.isNameless ?? false
      if !model.erase(where: { positions.contains($0.position) }), !wasNameless { model.last += 1 }
      model.streams[stream]?.isNameless = true
    case .compact:
      model.applyRule()
      var compacted = model
      for (number, stream) in model.streams where stream.isNameless {
        compacted.streams[number] = nil
        _ = stream
      }
      return [model, compacted]
    }
    return [model]
  }

  private mutating func set(isClosed: Bool, _ stream: Int) {
    guard let known = streams[stream], known.isClosed != isClosed else { return }
    streams[stream]?.isClosed = isClosed
    last += 1
  }

  /// A rule is for names, so a stream that was erased as a whole has none until the next append.
  private mutating func applyRule() {
    guard let kept else { return }
    var hasChanged = false
    for (number, stream) in streams
    where !stream.isNameless && stream.next > UInt64(kept) + stream.oldest {
      streams[number]?.oldest = stream.next - UInt64(kept)
      hasChanged = true
    }
    if hasChanged { last += 1 }
  }

  /// - Returns: Whether anything was erased.
  @discardableResult
  private mutating func erase(where isMeant: (Event) -> Bool) -> Bool {
    var hasChanged = false
    for (number, stream) in streams {
      for (index, event) in stream.events.enumerated() where isMeant(event) && !event.isErased {
        streams[number]?.events[index] = Event(position: event.position, contents: [], isErased: true)
        hasChanged = true
      }
    }
    if hasChanged { last += 1 }
    return hasChanged
  }
}

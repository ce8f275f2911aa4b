public import AnnalsCoding
public import AnnalsSchema
internal import LMDB

extension EventStore {
  /// The entries behind a place, and then those that are appended, as they come. See ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - events: The types of events that are given; entries of others are passed over without decoding them, where no rule makes one of these of them.
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  /// - Returns: A sequence that reads nothing before it is iterated. An entry that cannot be decoded or upcast stops it with the error that ``StoreEntries/next()`` throws.
  public func subscribe(
    from start: SubscriptionStart, to events: EventSelection<Event> = .all, streamPrefix prefix: String? = nil
  ) -> Subscription<Entry<Event>> {
    Subscription(follower(from: start, to: events, streamPrefix: prefix))
  }

  /// What goes through the events behind a place.
  func follower(
    from start: SubscriptionStart, to events: EventSelection<Event>, streamPrefix prefix: String?
  ) -> Follower<Entry<Event>> {
    let wanted = events.steps(in: reach.plan)
    return Follower(log.core, log.core.begin(from: start)) {
      [core = log.core, reach] (place, room) throws(AnnalsError) in
      let snapshot = try LogSnapshot(core)
      try reach.mustNotBeContracted(snapshot.kinds)
      let lifting = EntryLifting(
        reach: reach, kinds: snapshot.kinds, log: core.log, generation: snapshot.generation)
      let kinds = wanted.map { WantedKinds($0, reach.table(for: snapshot.kinds)) }
      let delivery = Delivery<Event>()
      var page = FollowPage<Entry<Event>>(place: place)
      var reading = try FollowReading(snapshot, place, room, log: core.log, prefix: prefix)
      do throws(AnnalsError) {
        while let entry = try reading.next(
          given: page.steps.count, isLast: &page.isLast, { kinds?.include($0) ?? true })
        {
          guard let stream = try reading.stream(of: entry) else { continue }
          delivery.keep(first: 0)
          do throws(AnnalsError) { try lifting.lift(entry, of: stream, into: delivery) } catch {
            guard error.blamesEntry else { throw error }
            page.steps.append(
              .poison(
                PoisonEntry(
                  position: entry.position, stream: stream, error: error, checkpoint: reading.checkpoint)))
            continue
          }
          let given = delivery.entries.filter { events.includes($0) }
          for (index, part) in given.enumerated() {
            let isLast = index == given.count - 1
            page.steps.append(
              .step(
                .entry(
                  SubscribedEntry(
                    entry: part, checkpoint: isLast ? reading.checkpoint : reading.before,
                    place: reading.checkpoint))))
          }
        }
        page.place = reading.place
      } catch {
        page.failure = error
        page.place = reading.place
      }
      return page
    }
  }
}

extension LogCore {
  /// What finds the place of a start, of which `.end` is that of now.
  func begin(from start: SubscriptionStart) -> @Sendable () throws(AnnalsError) -> FollowPlace {
    guard case .end = start else { return { [self] () throws(AnnalsError) in try place(of: start) } }
    let found: Result<FollowPlace, AnnalsError>
    do { found = .success(try place(of: .end)) } catch { found = .failure(error) }
    return { () throws(AnnalsError) in try found.get() }
  }
}

extension EventLog {
  /// The entries behind a place as they are stored, and then those that are appended, as they come. See ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  /// - Returns: A sequence that throws what ``LogEntries/next()`` throws.
  public func subscribe(
    from start: SubscriptionStart, streamPrefix prefix: String? = nil
  ) -> Subscription<LogEntry> {
    Subscription(
      Follower(core, core.begin(from: start)) { [core] (place, room) throws(AnnalsError) in
        let snapshot = try LogSnapshot(core)
        let entries = EntryReading(kinds: snapshot.kinds)
        var page = FollowPage<LogEntry>(place: place)
        var reading = try FollowReading(snapshot, place, room, log: core.log, prefix: prefix)
        do throws(AnnalsError) {
          while let entry = try reading.next(given: page.steps.count, isLast: &page.isLast, { _ in true }) {
            guard let stream = try reading.stream(of: entry) else { continue }
            page.steps.append(
              .step(
                .entry(
                  SubscribedEntry(
                    entry: try entries.entry(entry, stream), checkpoint: reading.checkpoint,
                    place: reading.checkpoint))))
          }
        } catch {
          page.failure = error
        }
        page.place = reading.place
        return page
      })
  }
}

/// The kinds of stored entries that can become events of some types.
struct WantedKinds {
  /// By a kind's number, whether its entries are looked into.
  private let wanted: [Bool]

  /// - Parameters:
  ///   - steps: The steps of the plan that can give such events.
  ///   - table: Where each kind enters the plan.
  init(_ steps: Set<Int>, _ table: [CompiledPlan.Entrance?]) {
    // What does not enter the plan is looked into, so that its reader is told why.
    wanted = table.map { entrance in entrance.map { steps.contains($0.step) } ?? true }
  }

  /// Whether an entry is looked into. Of parts only their own headers say what they are.
  func include(_ entry: borrowing LentEntry) -> Bool {
    let kind = Int(entry.kind)
    return entry.header.flags.contains(.parts) || kind >= wanted.count || wanted[kind]
  }
}

extension EventSelection {
  /// The steps of a plan whose entries can become events of the selection; `nil` for all.
  func steps(in plan: CompiledPlan) -> Set<Int>? {
    cases.map { cases in cases.reduce(into: []) { $0.formUnion(plan.sources(of: $1)) } }
  }
}

extension AnnalsError {
  /// Whether an entry cannot be read because of itself alone, so that others can be read behind it.
  var blamesEntry: Bool { (code == .malformed || code == .ruleFailed) && details.type != nil }
}

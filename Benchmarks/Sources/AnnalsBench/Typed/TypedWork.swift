import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The pieces of work that typed events are measured by, over the same events.
struct TypedWork {
  /// A piece of work: it handles all events and says how many it saw.
  struct Piece {
    let name: String
    let run: () async throws -> Int
  }
  /// Two pieces whose times are compared.
  struct Ratio {
    let left, right, target: String
  }

  static let ratios = [
    Ratio(left: "decode by name", right: "decode", target: "target at least 10"),
    Ratio(left: "decode JSON", right: "decode", target: "target at least 40"),
    Ratio(left: "encode by name", right: "encode", target: "target at least 8"),
    Ratio(left: "store by name", right: "store", target: "target at least 6"),
    Ratio(left: "store JSON", right: "store", target: "target at least 25"),
    Ratio(left: "sqlite JSON", right: "store", target: "for comparison"),
    Ratio(left: "sqlite JSON streams of five", right: "streams of five", target: "for comparison"),
    Ratio(left: "store", right: "store for each", target: "aim at least 1.4"),
    Ratio(left: "store", right: "store for await", target: "aim at least 0.6"),
    Ratio(left: "store one upcast", right: "store", target: "target at most 1.15"),
    Ratio(left: "store ten carried", right: "store", target: "target at most 1.05"),
    Ratio(left: "store one lightweight", right: "store", target: "target at most 1.15, aim 1.05"),
    Ratio(left: "store ten lightweight", right: "store one lightweight", target: "target about 1"),
    Ratio(left: "store ten upcasts", right: "store", target: "target at most 2.2, aim 2"),
    Ratio(left: "aggregates of five", right: "streams of five", target: "target at most 1.5, aim 1.2"),
  ]

  private(set) var pieces: [Piece] = []
  /// The bytes of one payload by shape, and by name.
  let shapedBytes, namedBytes: Int

  /// Prepares everything, with `events` events in each of two stores in `directory`.
  init(events: Int, in directory: URL) async throws {
    let shaped = Stored.SetLogged(
      title: "Bench press", reps: 8, sets: 3, weight: 82.5, notes: "felt good", at: 1_732_147_200.123)
    let named = ByName.SetLogged(
      title: shaped.title, reps: shaped.reps, sets: shaped.sets, weight: shaped.weight, notes: shaped.notes,
      at: shaped.at)
    var shapedPayload: [UInt8] = []
    try shaped.encode(into: &shapedPayload)
    var namedPayload: [UInt8] = []
    try named.encode(into: &namedPayload)
    let json = try JSONEncoder().encode(named)
    (shapedBytes, namedBytes) = (shapedPayload.count, namedPayload.count)

    let shapedURL = directory.appendingPathComponent("shaped.annals")
    let namedURL = directory.appendingPathComponent("named.annals")
    let shortURL = directory.appendingPathComponent("short.annals")
    try await Self.fill(shapedURL, Only<Stored>.self, .setLogged(shaped), events)
    try await Self.fill(namedURL, Only<ByName>.self, .setLogged(named), events)
    try await Self.fill(shortURL, Only<Stored>.self, .setLogged(shaped), events, streams: events / 5)

    addDecoding(shapedPayload, namedPayload, json, events)
    addEncoding(shaped, named, events)
    let store = try EventStore(at: shapedURL, plan: Only<Stored>.self)
    add("store", try Self.reading(shapedURL, Only<Stored>.self))
    add("store for each") {
      try store.read { (snapshot) throws(AnnalsError) in
        var count = 0
        try snapshot.entries().forEach { _ in count += 1 }
        return count
      }
    }
    add("store by name", try Self.reading(namedURL, Only<ByName>.self))
    add("store JSON") { try Self.scanJSON(store.log, json) }
    add("store for await") {
      var count = 0
      for try await _ in store.entries() { count += 1 }
      return count
    }
    add("store one upcast", try Self.reading(shapedURL, OneUpcast.self))
    add("store ten upcasts", try Self.reading(shapedURL, TenUpcasts.self))
    add("store ten carried", try Self.reading(shapedURL, TenCarried.self))
    add("store one lightweight", try Self.reading(shapedURL, OneLight.self))
    add("store ten lightweight", try Self.reading(shapedURL, TenLight.self))
    addStreams(of: try EventStore(at: shortURL, plan: Only<Stored>.self), events / 5)
    #if HAS_SQLITE
      try addRows(json, events, in: directory)
    #endif
  }

  private mutating func add(_ name: String, _ run: @escaping () async throws -> Int) {
    pieces.append(Piece(name: name, run: run))
  }

  private mutating func addDecoding(_ shaped: [UInt8], _ named: [UInt8], _ json: Data, _ events: Int) {
    add("decode") {
      var sum = 0
      for _ in 0..<events { sum &+= try Stored.SetLogged.decode(payload: shaped.span).reps }
      return sum / 8
    }
    add("decode by name") {
      var sum = 0
      for _ in 0..<events { sum &+= try ByName.SetLogged.decode(payload: named.span).reps }
      return sum / 8
    }
    add("decode JSON") {
      var sum = 0
      for _ in 0..<events { sum &+= try JSONDecoder().decode(ByName.SetLogged.self, from: json).reps }
      return sum / 8
    }
  }

  #if HAS_SQLITE
    /// The scan and the reads of streams of five events, each event decoded from JSON in a row of SQLite.
    private mutating func addRows(_ json: Data, _ events: Int, in directory: URL) throws {
      let rows = try DecodedRows(json, entries: events, streams: events / 5, in: directory)
      add("sqlite JSON") { try rows.scan() }
      let streams = events / 5
      add("sqlite JSON streams of five") {
        var count = 0
        for index in 0..<streams {
          count += try rows.read(stream: SampleEvent.name(ofStream: index * 7919 % streams))
        }
        return count
      }
    }
  #endif

  /// Reads of streams of five events, each in a snapshot of its own, and loads of an aggregate from the same.
  private mutating func addStreams(of store: EventStore<Only<Stored>>, _ streams: Int) {
    // A prime step leads to each stream once, in an order that no memory has.
    func name(_ index: Int) -> StreamName { StreamName(SampleEvent.name(ofStream: index * 7919 % streams)) }
    add("streams of five") {
      var count = 0
      for index in 0..<streams {
        count += try store.read { (snapshot) throws(AnnalsError) in
          var entries = try snapshot.entries(in: name(index))
          var count = 0
          while try entries.next() != nil { count += 1 }
          return count
        }
      }
      return count
    }
    add("aggregates of five") {
      var count = 0
      for index in 0..<streams { count += try store.load(Sets.self, from: name(index)).folded }
      return count
    }
  }

  private mutating func addEncoding(_ shaped: Stored.SetLogged, _ named: ByName.SetLogged, _ events: Int) {
    add("encode") {
      var count = 0
      for _ in 0..<events {
        var bytes: [UInt8] = []
        try shaped.encode(into: &bytes)
        count += bytes.isEmpty ? 0 : 1
      }
      return count
    }
    add("encode by name") {
      var count = 0
      for _ in 0..<events {
        var bytes: [UInt8] = []
        try named.encode(into: &bytes)
        count += bytes.isEmpty ? 0 : 1
      }
      return count
    }
  }

  /// Stores the event so many times, in a number of streams.
  private static func fill<Plan: SchemaMigrationPlan>(
    _ url: URL, _ plan: Plan.Type, _ event: Plan.Current.Event, _ events: Int, streams: Int = 1000
  ) async throws {
    let store = try EventStore(at: url, plan: plan)
    var next = 0
    while next < events {
      let end = min(next + 10_000, events)
      try await store.append { call in
        for index in next..<end {
          call.append([event], to: StreamName(SampleEvent.name(ofStream: index % streams)))
        }
      }
      next = end
    }
  }

  /// A full scan in one snapshot, each event lent in the plan's current version.
  private static func reading<Plan: SchemaMigrationPlan>(
    _ url: URL, _ plan: Plan.Type
  ) throws -> () async throws -> Int {
    let store = try EventStore(at: url, plan: plan)
    return {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var count = 0
        while try entries.next() != nil { count += 1 }
        return count
      }
    }
  }

  /// The same entries met one after the other, and the event decoded from JSON for each.
  private static func scanJSON(_ log: EventLog, _ json: Data) throws -> Int {
    try log.read { (snapshot) throws in
      var scan = try snapshot.scan()
      var count = 0
      while let entry = try scan.next() {
        if entry.payload != nil {
          count += try JSONDecoder().decode(ByName.SetLogged.self, from: json).sets / 3
        }
      }
      return count
    }
  }
}

import Synchronization
import Testing

@testable import LMDB

/// Commits with one flush, and files as power cuts leave them.
@Suite struct `A journal` {
  /// The contents of both tables.
  private struct Model: Equatable {
    var numbers: [UInt64: [UInt8]] = [:]
    var names: [[UInt8]: [UInt8]] = [:]
  }

  private static let long = Duration.seconds(10)

  /// A file with a journal in use, whose next small commit needs one flush.
  private static func environment(_ shelf: Shelf) throws -> Environment {
    let environment = try shelf.create { $0.laterTables = [Shelf.journal] }
    try environment.createJournal(Shelf.journal)
    try environment.store([0])
    return environment
  }

  /// Makes random changes in one small commit.
  private static func change(
    _ environment: Environment, _ model: inout Model, _ random: inout SeededGenerator
  ) throws {
    var transaction = try environment.beginWrite(environment.turn(), durability: .full, isSmall: true)
    let first = [UInt8](repeating: 1, count: 20)
    try transaction.put(first.span, forKey: 0, in: environment.numbers)
    model.numbers[0] = first
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: 200)
      let number = UInt64.random(in: 1...40, using: &random)
      let name = [UInt8]("name \(number)".utf8)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        try transaction.delete(key: number, in: environment.numbers)
        model.numbers[number] = nil
      case 1:
        try transaction.delete(key: name.span, in: environment.names)
        model.names[name] = nil
      case 2:
        try transaction.put(near: value.span, forKey: name.span, in: environment.names)
        model.names[name] = value
      case 3:
        try transaction.put(near: value.span, forKey: number, in: environment.numbers)
        model.numbers[number] = value
      default:
        let next = (model.numbers.keys.max() ?? 0) + 1
        try transaction.append(200, forKey: next, in: environment.numbers) { bytes in
          for index in 0..<200 { bytes[index] = value[0] }
        }
        model.numbers[next] = value
      }
    }
    try transaction.commit()
  }

  private static func contents(_ environment: Environment) throws -> Model {
    try environment.read { (transaction) throws(EnvironmentError) in
      var model = Model()
      var numbers = try transaction.integerCursor(in: environment.numbers)
      while let row = try numbers.next() { model.numbers[row.key] = Array(copying: row.value) }
      var names = try transaction.cursor(in: environment.names)
      while let row = try names.next() { model.names[Array(copying: row.key)] = Array(copying: row.value) }
      return model
    }
  }

  /// The file after a power cut that loses the newest meta page, in a `Shelf` of its own.
  private static func afterPowerCut(_ bytes: [UInt8], _ older: [UInt8]) throws -> Shelf {
    var image = bytes
    let isSecond = image.span.transaction(ofMeta: 1) > image.span.transaction(ofMeta: 0)
    let meta = isSecond ? 4096..<8192 : 0..<4096
    image.replaceSubrange(meta, with: older[meta])
    let shelf = try Shelf()
    try shelf.overwrite(image)
    return shelf
  }

  private static func open(_ shelf: Shelf, _ access: EnvironmentOptions.Access = .readWrite) throws
    -> (Environment, Environment.JournalState)
  {
    let environment = try shelf.open(access) { $0.laterTables = [Shelf.journal] }
    return (environment, try environment.openJournal(Shelf.journal, within: long))
  }

  @Test(arguments: UInt64(1)...20, [false, true])
  func `a commit whose meta page was lost is repeated`(seed: UInt64, isEarlier: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    var model = try Self.contents(environment)
    for _ in 0..<8 {
      let (older, before) = (try shelf.bytes(), model)
      try Self.change(environment, &model, &random)
      let cut = try Self.afterPowerCut(try shelf.bytes(), older)
      if isEarlier {
        try cut.overwrite(CommitRecord.madeEarlier(in: try cut.bytes(), try #require(environment.journal)))
      }
      // Without the record it would be lost.
      do {
        let unaware = try cut.open()
        #expect(try Self.contents(unaware) == before)
      }
      let image = try cut.bytes()
      try withExtendedLifetime(try Self.open(cut)) { opened in
        #expect(opened.1 == .ready)
        #expect(try Self.contents(opened.0) == model)
        try opened.0.store([9])
      }
      // A second power cut during the recovery changes nothing.
      let again = try Shelf()
      try again.overwrite(image)
      #expect(try Self.contents(Self.open(again).0) == model)
      let report = try PageCheck.run(
        Shelf.file, in: cut.directory, tables: Shelf.tables, later: [Shelf.journal])
      #expect(report.findings == [])
    }
    #expect(try Self.contents(environment) == model)
  }

  @Test func `an opener that may not write refuses a file that lacks a commit`() throws {
    var random = SeededGenerator(seed: 1)
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    var model = try Self.contents(environment)
    let older = try shelf.bytes()
    try Self.change(environment, &model, &random)
    let cut = try Self.afterPowerCut(try shelf.bytes(), older)
    #expect(try Self.open(cut, .readOnly).1 == .unfinished)
    #expect(try Self.contents(Self.open(cut).0) == model)
    #expect(try Self.open(cut, .readOnly).1 == .ready)
    #expect(try Self.open(shelf).1 == .ready)
  }

  @Test func `a record that a killed process left in this run of the system is nothing to a reader`() throws {
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    let before = try Self.contents(environment)
    // The record is written, and the meta page is not.
    var transaction = try environment.beginWrite(environment.turn(), durability: .full, isSmall: true)
    try transaction.put([7].span, forKey: 77, in: environment.numbers)
    let isInJournal = try transaction.prepareCommit()
    #expect(isInJournal)
    transaction.abort()
    #expect(try environment.hasRecordAhead())
    let state = try environment.stateWithoutWriters(try #require(environment.journal), within: Self.long)
    #expect(state == .ready)
    #expect(try Self.contents(environment) == before)
  }

  @Test func `a place that is not a large value of this size is none`() throws {
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    let offset = try #require(environment.journal?.offset)
    var bytes = try shelf.bytes()
    bytes[offset - 4096] ^= 1
    let spoilt = try Shelf()
    try spoilt.overwrite(bytes)
    #expect(try Self.open(spoilt).1 == .missing)
  }

  @Test func `a commit without changes leaves no record`() throws {
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    try environment.beginWrite(environment.turn(), durability: .full, isSmall: true).commit()
    #expect(try !environment.hasRecordAhead())
  }

  @Test func `a relaxed commit flushes like a durable one after an open`() throws {
    let shelf = try Shelf()
    _ = try Self.environment(shelf)
    let copy = try Shelf()
    try copy.overwrite(try shelf.bytes())
    let (opened, _) = try Self.open(copy)
    #expect(opened.isFlushingTwice)
    try opened.write(durability: .relaxed) { (transaction) throws(EnvironmentError) in
      try transaction.put([1].span, forKey: 1, in: opened.numbers)
    }
    #expect(!opened.isFlushingTwice)
  }

  @Test func `a record that was made from another state is not repeated, and goes`() throws {
    var random = SeededGenerator(seed: 2)
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    var model = try Self.contents(environment)
    let fork = try Shelf()
    try fork.overwrite(try shelf.bytes())
    for _ in 0..<2 { try Self.change(environment, &model, &random) }
    // The same number of commits with another content, and the records of the first history.
    let other = try fork.open()
    try other.store([UInt8](repeating: 1, count: 9000))
    let expected = try Self.contents(other)
    let offset = try #require(environment.journal?.offset)
    let slots = offset..<offset + 2 * CommitJournal.slotSize
    var mixed = try fork.bytes()
    mixed.replaceSubrange(slots, with: try shelf.bytes()[slots])
    let strange = try Shelf()
    try strange.overwrite(mixed)
    let (opened, state) = try Self.open(strange)
    #expect(state == .ready)
    #expect(try Self.contents(opened) == expected)
    #expect(try !opened.hasRecordAhead())
  }

  @Test func `a commit without a record removes the record of a killed one with its number`() throws {
    var random = SeededGenerator(seed: 3)
    let shelf = try Shelf()
    let environment = try Self.environment(shelf)
    var model = try Self.contents(environment)
    let older = try shelf.bytes()
    try Self.change(environment, &model, &random)
    // A process that was killed between its record and its meta page.
    let killed = try Self.afterPowerCut(try shelf.bytes(), older)
    let next = try killed.open { $0.laterTables = [Shelf.journal] }
    // It was open before the other process was killed.
    next.journalOffset.store(try #require(environment.journal?.offset), ordering: .relaxed)
    #expect(try next.hasRecordAhead())
    try next.store([5])
    #expect(try !next.hasRecordAhead())
    let before = try killed.bytes()
    try next.store([6])
    let cut = try Self.afterPowerCut(try killed.bytes(), before)
    #expect(try Self.contents(Self.open(cut).0).numbers[1] == [5])
  }

  @Test func `a file without a journal says so`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.laterTables = [Shelf.journal] }
    #expect(try environment.openJournal(Shelf.journal, within: Self.long) == .missing)
    #expect(environment.journal == nil)
  }

  @Test func `the first durable commit after an open flushes twice, and the next once`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.laterTables = [Shelf.journal] }
    try environment.createJournal(Shelf.journal)
    let reopened = try Shelf()
    try reopened.overwrite(try shelf.bytes())
    let (opened, _) = try Self.open(reopened)
    #expect(opened.isFlushingTwice)
    var random = SeededGenerator(seed: 4)
    var model = try Self.contents(opened)
    try Self.change(opened, &model, &random)
    #expect(!opened.isFlushingTwice)
    #expect(try !opened.hasRecord())
    // Nothing is recorded before the file is known to say that it has records with a hash.
    try Self.change(opened, &model, &random)
    #expect(try !opened.hasRecord())
    opened.recordsCommits = true
    try Self.change(opened, &model, &random)
    #expect(try opened.hasRecord())
  }
}

extension Shelf {
  /// The journal's table.
  static let journal = TableDefinition("journal", integerKeys: false)
}

extension Span where Element == UInt8 {
  /// The number of the commit that a meta page of the file describes.
  fileprivate func transaction(ofMeta page: Int) -> UInt64 { number64(at: page * 4096 + 144) }
}

extension Environment {
  fileprivate var isFlushingTwice: Bool { flushesTwice.load(ordering: .relaxed) }

  /// Whether a slot has a record of a commit that the meta pages do not know.
  fileprivate func hasRecordAhead() throws -> Bool {
    let last = try lastTransaction()
    return try recordNumbers().contains { $0 > last }
  }

  /// Whether a slot has the record of the last commit.
  fileprivate func hasRecord() throws -> Bool {
    let last = try lastTransaction()
    return try recordNumbers().contains(last)
  }

  private func recordNumbers() throws -> [UInt64] {
    guard let journal else { return [] }
    let descriptor = try handle.descriptor()
    return try (0..<UInt64(2)).map { try journal.number(inSlotOf: $0, in: descriptor, name) }
  }
}

import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore
@testable import AnnalsSubscriptions

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Every layout, fed with numbers that no store reaches and with bytes that mean nothing.
@Suite struct RowDecoderTests {
  /// A layout: bytes that it reads, and what reads them.
  struct Layout: Sendable, CustomTestStringConvertible {
    let name: String
    let valid: [UInt8]
    let read: @Sendable ([UInt8]) throws -> Void

    var testDescription: String { name }
  }

  /// Numbers at the edges of what fits.
  static let extremes: [UInt64] = [
    0, 1, 127, 1 << 16, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 60 - 1, 1 << 60, 1 << 63 - 1, 1 << 63, .max,
  ]

  private static let log = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

  private static var checkpoint: Checkpoint {
    Checkpoint(log: log, incarnation: 3, position: 300, mark: 7)
  }

  private static var metaRows: [Layout] {
    var meta = StoreMeta(log: log)
    meta.requires = [.init(name: "wings", isForReading: true), .init(name: "fins", isForReading: false)]
    meta.incarnation = (2, 200)
    meta.checkpoint = 300
    var layouts = meta.rows().map { row in
      Layout(name: "meta \(row.name)", valid: row.value) { bytes in
        var meta = StoreMeta(log: log)
        try meta.set(row.name, to: bytes.span)
        _ = (
          meta.generation + meta.epoch + 1, meta.schemaEpoch + 1, meta.checkpoint + 1, meta.first.rawValue + 1
        )
        #expect(meta.window > 0)
      }
    }
    for state in [
      StoreMeta.State.building(pass: log), .sealed(Seal(successor: 2, epoch: 300)),
    ] {
      meta.state = state
      layouts.append(
        Layout(name: "meta state \(state)", valid: meta.value(of: .state)) { bytes in
          var meta = StoreMeta(log: log)
          try meta.set(.state, to: bytes.span)
          if case .sealed(let seal) = meta.state { _ = (seal.epoch + 1, seal.successor + 1) }
        })
    }
    return layouts
  }

  static var layouts: [Layout] {
    var moved = MovedRow()
    for name in ["a", "b"] { _ = moved.add(StreamName(name)) }
    var census = CensusRow()
    census.add(bytes: 300)
    var inline = RuleRow(number: 300, isMandatory: true, version: 2, name: "n", text: "t")
    inline.folded = 400
    var tally = PassTallyRow()
    tally.moved = 300
    tally.changes.drops[RunChanges.Drop(type: "t", reason: "r")] = 400
    let version = SchemaVersion(1, 300, 70_000)
    let names = [ExactText("outer"), ExactText("key")]
    tally.changes.removed.add(
      KindRegistry.Kind(
        number: 1, version: version, row: KindRow(ordinal: 1, name: "t", first: 1), shape: nil),
      [version, nil].map { LostValue(path: names, place: [], bytes: 0..<1, removedIn: $0) }, at: 300)
    var archive = PassArchiveRow(id: log, path: Array("/a/b".utf8))
    archive.length = 300
    archive.isWhole = true
    let kind = KindRow(ordinal: 300, name: "Placed", first: 400)
    let rows = EntryRows(new: [.init(kind: 300, kindRow: kind, schemaRow: SchemaRow(version: version))])
    let head = Head(id: 5, revision: 70, last: 400, levels: [390, 300, 200], newestID: 69)
    let source = AggregateSnapshotRow.Source(
      aggregate: ExactText("a"), version: 300, stream: ExactText("s"), mark: SHA256.hash([1]))
    let table = ContextTableRow(id: log, firstKeys: [[1], [2, 3]])
    let chunk =
      ContextChunk.chunks(of: ([0, 1, 2, 3] as [UInt8]).map { (key: [$0, $0], value: [$0]) })[0].bytes
    var all = metaRows
    func add(
      _ name: String, _ valid: [UInt8], _ read: @escaping @Sendable (Span<UInt8>) throws -> Void
    ) {
      all.append(Layout(name: name, valid: valid) { bytes in try read(bytes.span) })
    }
    add("stream", StreamRow(state: .live, id: 300).encoded()) { _ = try StreamRow($0).id.rawValue + 1 }
    add("head", head.encoded()) { bytes in
      for id in [1, 5, 399] as [Position] {
        guard let head = try? Head(id: id, bytes) else { continue }
        _ = (head.revision.rawValue + 1, head.last.rawValue + 1, head.newest(atLevel: 3))
        #expect(head.levels.allSatisfy { $0 >= id })
      }
    }
    add("census", census.encoded()) { bytes in
      var row = try CensusRow(bytes)
      row.add(bytes: 1)
      _ = row.parts + row.stubs + row.quarantined
    }
    add("kind", kind.encoded()) { _ = try KindRow($0).first.rawValue + 1 }
    add("schema", SchemaRow(version: version).encoded()) { _ = try SchemaRow($0).release + 1 }
    add("merge", MergeRow(position: 300, next: 400).encoded()) { bytes in
      let row = try MergeRow(bytes)
      _ = row.position + row.next
    }
    add("newest", NewestRow(generation: 300).encoded()) { _ = try NewestRow($0) }
    add("predecessor", PredecessorRow(generation: 2, last: 300).encoded()) {
      _ = try PredecessorRow($0).last + 1
    }
    add(
      "pass",
      PassRow(id: log, other: 300, plan: SHA256.hash([1]), version: version, position: 400).encoded()
    ) { _ = try PassRow($0).position + 1 }
    add("moved", moved.encoded()) { _ = try MovedRow($0) }
    add("id", IDRow(stream: 5, id: log, revision: 300).encoded()) { _ = try IDRow.revision($0).rawValue + 1 }
    add("id index", IDIndexRow.building(300).encoded()) { bytes in
      if case .building(let position) = try IDIndexRow(bytes) { _ = position + 1 }
    }
    add("origin", OriginRow(generation: 300, stream: "s", isMerged: true).encoded()) {
      _ = try OriginRow($0).generation + 1
    }
    add("regrouped", RegroupedRow.encoded(300)) { _ = try RegroupedRow.position($0).rawValue + 1 }
    add("pass hidden", HiddenEntries.none.mark) { _ = try PassHiddenRow.mark($0) }
    add("altered", GenerationRow.encoded(300)) { _ = try GenerationRow.generation($0) + 1 }
    add("pass tally", tally.encoded()) { bytes in
      let row = try PassTallyRow(bytes)
      _ = (row.moved + row.changes.rewritten, row.changes.removed.fields.map { $0.count + 1 })
    }
    add("pass fields", PassFieldsRow.encoded(tally.changes.removed)) { bytes in
      var removed = FieldTally()
      try PassFieldsRow.read(bytes, into: &removed)
      _ = removed.fields.map { $0.count + $0.firstPosition.rawValue + 1 }
    }
    add("pass tags", PassTagsRow(entries: 300, names: ["course", "student"]).encoded()) {
      _ = try PassTagsRow($0).entries + 1
    }
    add("pass archive", archive.encoded()) { _ = try PassArchiveRow($0).length + 1 }
    add("inline", inline.encoded()) { _ = try RuleRow(number: 1, $0).version + 1 }
    add("checkpoint", checkpoint.encoded()) { bytes in
      var reader = ByteReader(bytes)
      let checkpoint = try Checkpoint(&reader)
      _ = (checkpoint.position.rawValue + 1, checkpoint.incarnation + 1)
    }
    add("consumer", ConsumerRow(checkpoint: checkpoint, time: .max).encoded()) {
      _ = try ConsumerRow($0)
    }
    add(
      "letter",
      DeadLetterRow(
        consumer: "c", stream: "s", reason: "r", attempts: 300, time: .min, isUnreadable: true,
        place: checkpoint, selection: LetterSelection(version: version, records: ["a", "b"])
      ).encoded()
    ) { _ = try DeadLetterRow($0).attempts + 1 }
    add("letter's key", DeadLetterRow.key("c", 300, [1, 70_000])) {
      _ = try DeadLetterRow.place(in: $0).position.rawValue + 1
    }
    add(
      "snapshot", AggregateSnapshotRow(source, checkpoint, revision: 300, payload: [1, 2]).encoded()
    ) { _ = try AggregateSnapshotRow($0).revision + 1 }
    add("context table", table.encoded()) { _ = try ContextTableRow($0) }
    add("context chunk", chunk) { bytes in
      let chunk = try ContextChunk(bytes)
      for key in [[], [0], [2, 2], [255, 255, 255, 255, 255, 255, 255, 255, 255]] as [[UInt8]] {
        _ = try? chunk.value(of: key.span, in: 0..<UInt64.max)?.count
      }
      for index in 0..<chunk.count { _ = try? chunk.row(index).value.count }
    }
    add("group end", GroupEnd(count: 300, first: 400).encoded()) { bytes in
      let end = try GroupEnd(bytes)
      _ = (end.count + 1, end.first.rawValue + 1)
    }
    add("quarantine", QuarantineMark(from: nil, to: version, cause: "c").encoded()) {
      _ = try QuarantineMark($0)
    }
    add("rows of an entry", rows.encoded()) { _ = try EntryRows($0, at: 0) }
    add("current", CurrentFile(log: log, generation: 3).encoded()) { _ = try CurrentFile($0.copied) }
    add("build mark", BuildMark(boot: "b", isSynced: true).encoded()) { _ = try BuildMark($0.copied) }
    add("view mark", ViewMark(name: "n", version: 3, boot: "b", isSynced: true).encoded()) {
      _ = try ViewMark($0.copied).version + 1
    }
    add("lease", ProgramLeaseFile(version: version, skips: true).encoded()) {
      _ = try ProgramLeaseFile($0.copied)
    }
    return all + entries
  }

  /// Entries with every part that an entry can have, whose checksums are correct for any content.
  private static var entries: [Layout] {
    let (name, nothing): ([UInt8], [UInt8]) = (Array("stream".utf8), [])
    let metadata: [UInt8] = [0xa0]
    let bodies: [EntryBody] = [
      .payload([0xa0]),
      .parts([.init(kind: 300, path: [1, 70_000], payload: [0xa0]), .init(kind: 2, path: [], payload: [0])]),
      .stub(Stub(cause: .rule, from: nil, to: SchemaVersion(1, 2, 3), reason: "r")),
    ]
    var layouts: [Layout] = []
    for body in bodies {
      for isFirst in [true, false] {
        let bytes = body.encoded()
        let start = isFirst ? name : nothing
        var draft = EntryDraft(
          kind: body.isParts ? 0 : 300, time: .min, name: start.span, metadata: metadata.span,
          rows: nothing.span, body: bytes.span, form: body.form)
        if !isFirst {
          draft.stream = 5
          draft.revision = 16
          for _ in 0..<3 { draft.links.append(20) }
        }
        draft.id = log
        layouts.append(
          Layout(name: "entry \(body.form) \(isFirst)", valid: draft.encoded(at: 400)) { bytes in
            guard bytes.count >= 7 else { return }
            for position in [400, 1, Position(FormatRange.maximum)] as [Position] {
              var bytes = bytes
              let checksum = EntryHeader.checksum(of: bytes.span, at: position)
              for index in 0..<4 {
                bytes[3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
              }
              guard let header = try? EntryHeader(bytes.span, at: position) else { continue }
              _ = header.revision.rawValue + header.stream.rawValue + 1
              for level in 0..<Head.levels(dividing: header.revision) {
                _ = try? header.linked(level: level, from: position, in: bytes.span)
              }
              _ = try? EntryBody(bytes.span, header: header)
              _ = try? EntryExtensions(bytes.span, header)
              if header.flags.contains(.rows) { _ = try? EntryRows(bytes.span, at: header.rows) }
              _ = (header.name.count, header.id.count, header.metadata.count)
              _ = "\(Timestamp(microseconds: header.time))"
            }
          })
      }
    }
    return layouts
  }

  @Test(arguments: layouts)
  func `A layout reads its own bytes and refuses bytes that it cannot have written`(layout: Layout) throws {
    try layout.read(layout.valid)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    func read(_ bytes: [UInt8]) {
      do { try layout.read(bytes) } catch {
        #expect(error is FormatFailure, "seed \(seed), \(bytes): \(error)")
      }
    }
    // Each number that may begin at a byte becomes an extreme one.
    for start in layout.valid.indices {
      let end = layout.valid[start...].firstIndex { $0 < 0x80 } ?? layout.valid.endIndex - 1
      for number in Self.extremes {
        var varint: [UInt8] = []
        varint.append(varint: number)
        read(Array(layout.valid[..<start]) + varint + layout.valid[(end + 1)...])
        var fixed = layout.valid
        for index in 0..<min(8, fixed.count - start) {
          fixed[start + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
        }
        read(fixed)
      }
    }
    for count in 0..<200 {
      read(random.bytes(count: count % 60))
      var bytes = layout.valid
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        guard let index = bytes.indices.randomElement(using: &random) else { break }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        }
      }
      read(bytes)
    }
  }
}

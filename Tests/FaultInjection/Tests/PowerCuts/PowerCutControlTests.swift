import Annals
import FaultPrograms
import Testing

/// Stores that are written wrongly. A test that finds nothing in them is blind.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct PowerCutControlTests {
  private let workload = Workload(seed: 1, calls: 0..<24)

  @Test func `a store that never waits for the disk is caught`() throws {
    // MDB_NOSYNC.
    let outcome = try PowerCut(workload, flags: "0x10000").run(findings: 1)
    #expect(!outcome.findings.isEmpty)
  }

  @Test func `a relaxed store is caught where every answered call is promised`() throws {
    let cut = try PowerCut(Workload(seed: 1, calls: 0..<24, durability: .relaxed))
    let asPromised = try cut.run(images: 200)
    #expect(asPromised.findings == [])
    #expect(try !cut.promising(.full).run(findings: 1).findings.isEmpty)
  }

  @Test func `a CURRENT that is renamed before its content is durable is caught`() throws {
    let cut = try PowerCut(workload).recorded { recording in
      let contents = recording.operations.compactMap {
        if case .rename(let inode, _, _, "CURRENT") = $0 { inode } else { nil as Inode? }
      }
      return recording.withoutSynchronizing { contents.contains($0) }
    }
    #expect(try !cut.run(findings: 1).findings.isEmpty)
  }

  @Test func `a creation that waits for no directory is caught`() throws {
    let cut = try PowerCut(workload).recorded { recording in
      recording.withoutSynchronizing { recording.directories.contains($0) }
    }
    #expect(try !cut.run(findings: 1).findings.isEmpty)
  }

  @Test func `a log whose data is not waited for before its meta page is caught`() throws {
    let cut = try PowerCut(workload).recorded { recording in
      let logs = recording.operations.compactMap {
        if case .create(let inode, _, "log-000001.mdb", _) = $0 { inode } else { nil as Inode? }
      }
      return recording.withoutSynchronizing { logs.contains($0) }
    }
    #expect(try !cut.run(findings: 1).findings.isEmpty)
  }
}

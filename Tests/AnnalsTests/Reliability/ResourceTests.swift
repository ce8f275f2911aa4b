import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Processes that may have few descriptors or little address space.
@Suite struct ResourceTests {
  @Test(arguments: [false, true]) func `too few descriptors is an error, and leaves nothing`(
    creating: Bool
  ) async throws {
    await #expect(processExitsWith: .success) { [creating = creating as Bool] in
      var refused = 0
      var opened = 0
      for descriptors in 3...40 {
        let place = try TemporaryStore()
        if !creating { try await Specimen.create(at: place.url) }
        let before = try Inventory(place.directory)
        try #require(ProcessLimit.descriptors.set(descriptors))
        var error: AnnalsError?
        do {
          let log = try place.open()
          try await log.append([.sized(1)], to: "a")
          opened += 1
        } catch let thrown as AnnalsError {
          error = thrown
        }
        try #require(ProcessLimit.descriptors.set(nil))
        if let error {
          refused += 1
          #expect(error.code == .inputOutput, "\(descriptors): \(error)")
          #expect(try Inventory(place.directory) == before, "\(descriptors)")
        }
        try await place.open().append([.sized(1)], to: "a")
      }
      #expect(refused > 3 && opened > 3, "\(refused) refused, \(opened) opened")
    }
  }

  // The limit is compared with what Linux says of the process.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "needs /proc"))
  func `little address space is an error or enough`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      var refused = 0
      for mebibytes in [1, 2, 3, 4, 6, 8, 16, 64, 256, 1024] {
        try #require(ProcessLimit.addressSpace.set(try ProcessLimit.addressSpaceInUse() + mebibytes << 20))
        do {
          let log = try place.open(StoreOptions(creation: .never))
          let count = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
          try await log.append([.placed(1)], to: "a")
          #expect(count > 100)
        } catch let error as AnnalsError {
          refused += 1
          #expect([.inputOutput, .diskFull].contains(error.code), "\(mebibytes): \(error)")
        }
        try #require(ProcessLimit.addressSpace.set(nil))
      }
      #expect(refused > 0)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test func `a map that is small is outgrown with an error, and a larger one goes on`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      _ = try place.open()
      try #require(ProcessLimit.addressSpace.set(try ProcessLimit.addressSpaceInUse() + 40 << 20))
      var answered = 0
      do {
        let log = try place.open()
        while answered < 400 {
          try await log.append([.sized(100_000)], to: "a")
          answered += 1
        }
      } catch let error as AnnalsError {
        #expect(error.code == .diskFull)
        #expect(error.message.contains("address space"))
      }
      #expect(answered > 0 && answered < 400)
      try #require(ProcessLimit.addressSpace.set(nil))
      try await place.open().append([.placed(1)], to: "a")
      let report = try EventLog.verify(place.url)
      #expect(report.isClean)
      #expect(report.entries == UInt64(answered + 1))
    }
  }
}

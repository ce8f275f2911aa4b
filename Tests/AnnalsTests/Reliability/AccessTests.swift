import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Stores that this user may not read, or not write.
@Suite struct AccessTests {
  /// Who owns nothing: the user of this number has no special rights.
  private static let nobody: uid_t = 65_534

  /// Gives all files of `place` to a user without rights, and continues as that user. For a child process.
  private static func becomeNobody(_ place: TemporaryStore) throws {
    var paths = [place.directory.path]
    if let walk = FileManager.default.enumerator(atPath: place.directory.path) {
      for case let name as String in walk { paths.append(place.directory.appendingPathComponent(name).path) }
    }
    for path in paths { try #require(unsafe chown(path, nobody, nobody) == 0) }
    try #require(setgid(nobody) == 0 && setuid(nobody) == 0 && geteuid() == nobody)
  }

  // Root may read and write regardless of the permissions, so the test must be able to become another user.
  @Test(
    .enabled(if: geteuid() == 0, "needs root"),
    arguments: [
      "", "CURRENT", "log-000001.mdb", "log-000001.mdb-lock", "open.lock", "queue.lock", "write.lock",
    ])
  func `a file that may not be read is refused by name and stays unchanged`(name: String) async throws {
    await #expect(processExitsWith: .success) { [name = name as String] in
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      let path = name.isEmpty ? place.url.path : place.url.appendingPathComponent(name).path
      let before = try Inventory(place.directory)
      try AccessTests.becomeNobody(place)
      let mode = try #require(
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)
      try #require(unsafe chmod(path, 0) == 0)
      for opener in Opener.allCases where opener != .verify || name != "queue.lock" {
        let refusal = opener.refusal(place.url)
        #expect(refusal?.code == .permission, "\(opener): \(refusal.map { "\($0)" } ?? "was opened")")
      }
      try #require(unsafe chmod(path, mode.uint16Value.bits) == 0)
      #expect(try Inventory(place.directory) == before)
      for opener in Opener.allCases { #expect(opener.refusal(place.url) == nil, "\(opener)") }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `a store in a directory that cannot be written to takes appends, and a new one is refused`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      try AccessTests.becomeNobody(place)
      for path in [place.url.path, place.directory.path] { try #require(unsafe chmod(path, 0o500) == 0) }
      // All files are there, and each may be written.
      do { try await place.open().append([.sized(1)], to: "a") }
      let other = place.directory.appendingPathComponent("other.annals")
      #expect(Opener.readWrite.refusal(other)?.code == .permission)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
      for path in [place.url.path, place.directory.path] { try #require(unsafe chmod(path, 0o700) == 0) }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `the store of another user is refused`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      let data = place.url.appendingPathComponent(Specimen.file).path
      try #require(unsafe chown(data, 1234, 1234) == 0)
      #expect(Opener.readWrite.refusal(place.url)?.code == .permission)
      #expect(Opener.readOnly.refusal(place.url)?.code == .permission)
    }
  }

  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"))
  func `a store on a read-only file system is read, and takes no append`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      let before = try Inventory(place.directory)
      let url = try Mount.readOnly(place.directory.path).appendingPathComponent("orders.annals")
      #expect(Opener.readWrite.refusal(url)?.code == .readOnly)
      #expect(Opener.typed.refusal(url)?.code == .readOnly)
      #expect(
        Opener.readWrite.refusal(url.deletingLastPathComponent().appendingPathComponent("new"))?.code
          == .readOnly)
      let rollback = #expect(throws: AnnalsError.self) { try EventLog.rollback(url) }
      let accept = #expect(throws: AnnalsError.self) { try EventLog.accept(url) }
      let discard = #expect(throws: AnnalsError.self) { try EventLog.discardPrevious(url) }
      for refusal in [rollback, accept, discard] {
        #expect(refusal?.code == .readOnly && refusal?.details.file == "pass.lock")
      }
      for opener in [Opener.readOnly, .inspect, .verify] { #expect(opener.refusal(url) == nil, "\(opener)") }
      let log = try EventLog(at: url, options: StoreOptions(access: .readOnly, trust: .nobody))
      #expect(try log.read { (snapshot) throws(AnnalsError) in try Reading(snapshot).entries.count } > 100)
      #expect(try Inventory(place.directory) == before)
    }
  }

  @Test(arguments: [0, 0o077, 0o777] as [mode_t]) func `files are the owner's alone, regardless of the mask`(
    mask: mode_t
  ) async throws {
    await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
      let place = try TemporaryStore()
      umask(mask)
      do { try await place.open().append([.sized(1)], to: "a") }
      umask(0o022)
      func permissions(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
          ?? -1
      }
      #expect(try permissions(place.url.path) == 0o700)
      for name in try FileManager.default.contentsOfDirectory(atPath: place.url.path) {
        #expect(try permissions(place.url.appendingPathComponent(name).path) == 0o600, "\(name)")
      }
    }
  }
}

extension UInt16 {
  /// The number as the system's type for permission bits.
  fileprivate var bits: mode_t { mode_t(self) }
}

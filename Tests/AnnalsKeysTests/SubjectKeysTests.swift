import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog

@Suite struct SubjectKeysTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  @Test func `a personal field is encrypted with the key of the person that its sibling names`() async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    #expect(try Customers.names(store) == [Customers.secret, "Ann"])
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
    #expect(try customers.files(with: Array("Ulm".utf8)) != [], "other fields are not encrypted")
    #expect(try customers.key(of: "c1", store.log.id) != customers.key(of: "c2", store.log.id))
  }

  @Test func `the keys are in a file of their own, which only its owner reads`() async throws {
    let store = try customers.store()
    #expect(!FileManager.default.fileExists(atPath: customers.file.path), "the first key makes it")
    try await store.append([.visited(.init(page: "home"))], to: "visits")
    #expect(!FileManager.default.fileExists(atPath: customers.file.path))
    try await customers.fill(store)
    let key = try customers.key(of: "c1", store.log.id)
    #expect(try customers.files(with: key) == ["keys.mdb"])
    let attributes = try FileManager.default.attributesOfItem(atPath: customers.file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `dropping a key leaves its bytes in no file, and reads give the replacements`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let key = try customers.key(of: "c1", store.log.id)
    let other = try customers.key(of: "c2", store.log.id)
    try store.forget("c1", by: "jane", because: "request")
    #expect(try customers.files(with: key) == [])
    #expect(try customers.files(with: Array(Customers.secret.utf8)) == [])
    #expect(try customers.files(with: other) == ["keys.mdb"])
    let event = try Customers.events(store)[0]
    #expect(event == .registered(.init(customerID: "c1", name: "nobody", phone: nil, city: "Ulm")))
    #expect(try Customers.names(store) == ["nobody", "Ann"])
    // Nor does a store that is opened later.
    #expect(try Customers.names(customers.store()) == ["nobody", "Ann"])
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: customers.url.path).contains {
        $0.contains(".new")
      })
  }

  @Test func `a person that the store never had a key of can be forgotten too`() async throws {
    let keys = SubjectKeys()
    let store = try customers.store(keys)
    try store.forget("c9", by: "jane", because: "request")
    #expect(try keys.isForgotten("c9"))
    #expect(try !keys.isForgotten("c1"))
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(
        [.registered(.init(customerID: "c9", name: "Eve", phone: nil, city: "Ulm"))], to: "customer-9")
    }
    #expect(error?.code == .subjectForgotten)
    #expect(try Customers.events(store).isEmpty)
  }

  @Test func `a repeated drop finishes, and changes no key of others`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    for _ in 0..<3 { try store.forget("c1", by: "jane", because: "request") }
    #expect(try Customers.names(store) == ["nobody", "Ann"])
    #expect(try store.log.erasures().count == 3)
  }

  @Test func `backups never contain the keys, and a restored store needs its file or gives up`() async throws
  {
    let store = try customers.store()
    try await customers.fill(store)
    let key = try customers.key(of: "c1", store.log.id)
    let backup = customers.directory.url.appendingPathComponent("backup.annals")
    try store.log.backup(to: backup)
    #expect(try customers.files(with: key, in: backup) == [])
    #expect(!FileManager.default.fileExists(atPath: backup.appendingPathComponent("keys.mdb").path))
    var options = StoreOptions()
    options.keys = SubjectKeys()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: backup, plan: CustomerPlan.self, options: options)
    }
    #expect(error?.code == .keyMissing)
    #expect(error?.message.contains("is missing") == true)
    // With the file, everything is there.
    try FileManager.default.copyItem(at: customers.file, to: backup.appendingPathComponent("keys.mdb"))
    options.keys = SubjectKeys()
    #expect(
      try Customers.names(EventStore(at: backup, plan: CustomerPlan.self, options: options))
        == [Customers.secret, "Ann"])
  }

  @Test func `a store whose file of keys is lost reads replacements once somebody says so`() async throws {
    do { try await customers.fill(customers.store()) }
    try FileManager.default.removeItem(at: customers.file)
    #expect(throws: AnnalsError.self) { try customers.store() }
    let store = try customers.store(SubjectKeys(ifMissing: .forget))
    #expect(try Customers.names(store) == ["nobody", "nobody"])
    // New data of the same person are encrypted with a new key.
    try await store.append(
      [.registered(.init(customerID: "c1", name: "Zoe", phone: nil, city: "Ulm"))], to: "customer-1")
    #expect(try Customers.names(store) == ["nobody", "nobody", "Zoe"])
    #expect(try Customers.names(customers.store()) == ["nobody", "nobody", "Zoe"])
  }

  @Test func `a file that is lost while the store is open is not replaced by an empty one`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    try FileManager.default.removeItem(at: customers.file)
    let error = #expect(throws: AnnalsError.self) { try Customers.names(store) }
    #expect(error?.code == .keyMissing)
    let appended = await #expect(throws: AnnalsError.self) { try await customers.fill(store) }
    #expect(appended?.code == .keyMissing)
    #expect(!FileManager.default.fileExists(atPath: customers.file.path))
  }

  @Test func `the file of another log is refused`() async throws {
    do { try await customers.fill(customers.store()) }
    let others = try Customers()
    do { try await others.fill(others.store()) }
    try FileManager.default.removeItem(at: customers.file)
    try FileManager.default.copyItem(at: others.file, to: customers.file)
    let error = #expect(throws: AnnalsError.self) { try customers.store() }
    #expect(error?.code == .keyMissing)
    #expect(error?.message.contains("keys of another log") == true)
  }

  @Test func `an older copy of the file lacks newer keys, and says so`() async throws {
    let copy = customers.directory.url.appendingPathComponent("copy.mdb")
    do {
      let store = try customers.store()
      try await store.append(
        [.registered(.init(customerID: "c0", name: "Old", phone: nil, city: "Ulm"))], to: "customer-0")
      try FileManager.default.copyItem(at: customers.file, to: copy)
      try await customers.fill(store)
    }
    try FileManager.default.removeItem(at: customers.file)
    try FileManager.default.moveItem(at: copy, to: customers.file)
    let store = try customers.store()
    let error = #expect(throws: AnnalsError.self) { try Customers.names(store) }
    #expect(error?.code == .keyMissing)
    #expect(error?.details.position == 2)
    #expect(error?.message.contains("older than the event") == true)
  }

  @Test func `a damaged row is reported, and a drop of its subject removes it`() async throws {
    do { try await customers.fill(customers.store()) }
    let key = try customers.key(of: "c1", EventLog(at: customers.url).id)
    var bytes = [UInt8](try Data(contentsOf: customers.file))
    // Every copy of the key, also in pages that are free by now.
    for start in 0..<bytes.count - key.count where Array(bytes[start..<start + key.count]) == key {
      bytes[start] ^= 1
    }
    try Data(bytes).write(to: customers.file)
    let store = try customers.store()
    let error = #expect(throws: AnnalsError.self) { try Customers.names(store) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("keys.mdb") == true)
    try store.forget("c1", by: "jane", because: "damaged")
    #expect(try Customers.names(store) == ["nobody", "Ann"])
  }

  @Test func `after a rotation new events have a new key, and older ones stay readable`() async throws {
    let keys = SubjectKeys()
    let store = try customers.store(keys)
    try await customers.fill(store)
    let old = try customers.key(of: "c1", store.log.id)
    #expect(try keys.rotate("c1"))
    let new = try customers.key(of: "c1", store.log.id)
    #expect(old != new)
    try await store.append(
      [.registered(.init(customerID: "c1", name: "Minna", phone: nil, city: "Ulm"))], to: "customer-1")
    #expect(try Customers.names(store) == [Customers.secret, "Ann", "Minna"])
    // A drop takes both.
    try store.forget("c1", by: "jane", because: "request")
    #expect(try customers.files(with: old) == [])
    #expect(try customers.files(with: new) == [])
    #expect(try Customers.names(store) == ["nobody", "Ann", "nobody"])
    let error = #expect(throws: AnnalsError.self) { try keys.rotate("c1") }
    #expect(error?.code == .subjectForgotten)
  }

  @Test func `a rotation makes no key for an id without one`() async throws {
    let keys = SubjectKeys()
    let store = try customers.store(keys)
    #expect(try !keys.rotate("c1"))
    try await customers.fill(store)
    #expect(try keys.rotate("c1"))
    // A key that the first call made would show in the second.
    for _ in 0..<2 { #expect(try !keys.rotate("C1")) }
    #expect(try Customers.names(store) == [Customers.secret, "Ann"])
  }

  @Test func `a pass encrypts again what it rewrites, and reads agree before and after`() async throws {
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      try await store.append(
        [.registered(.init(customerID: "c3", name: "Kim", phone: nil, city: "Ulm"))], to: "customer-3")
      try store.forget("c3", by: "jane", because: "request")
    }
    let store = try customers.store(SubjectKeys(), NewCustomerPlan.self)
    let before = try Customers.events(store)
    #expect(
      before.first
        == .registered(.init(customerID: "c1", upper: Customers.secret.uppercased(), city: "Ulm")))
    #expect(before.last == .registered(.init(customerID: "c3", upper: "NOBODY", city: "Ulm")))
    _ = try await store.migrate().report()
    #expect(try Customers.events(store) == before)
    #expect(try customers.files(with: Array(Customers.secret.uppercased().utf8)) == [])
    #expect(try EventLog.verify(customers.url).isClean)
    try store.forget("c1", by: "jane", because: "request")
    #expect(
      try Customers.events(store).first
        == .registered(.init(customerID: "c1", upper: "NOBODY", city: "Ulm")))
  }

  @Test func `keys are for one store`() throws {
    let keys = SubjectKeys()
    let error = #expect(throws: AnnalsError.self) { try keys.rotate("c1") }
    #expect(error?.code == .wrongUse)
    _ = try customers.store(keys)
    _ = try customers.store(keys)
    let others = try Customers()
    let other = #expect(throws: AnnalsError.self) { try others.store(keys) }
    #expect(other?.code == .wrongUse)
  }

  @Test func `a store that is opened for reading decrypts, and drops nothing`() async throws {
    do { try await customers.fill(customers.store()) }
    var options = StoreOptions(access: .readOnly)
    options.keys = SubjectKeys()
    let store = try EventStore(at: customers.url, plan: CustomerPlan.self, options: options)
    #expect(try Customers.names(store) == [Customers.secret, "Ann"])
    let error = #expect(throws: AnnalsError.self) {
      try store.forget("c1", by: "jane", because: "request")
    }
    #expect(error?.code == .readOnly)
  }
}

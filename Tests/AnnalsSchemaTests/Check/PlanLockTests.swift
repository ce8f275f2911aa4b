import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

@Suite struct PlanLockTests {
  private func lock<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> PlanLock {
    PlanLock(plan.stages.outline, PlanSamples(of: plan.stages))
  }

  private func failure(_ text: String) -> LockFailure? {
    #expect(throws: LockFailure.self) { try LockParser.parse(Array(text.utf8)) }
  }

  @Test func `a lock has the shape of every record and a digest of the results of each stage`() {
    // The digests were computed with `sha256sum` over the forms, and over the samples with payloads as in
    // docs/format-payloads.md.
    #expect(
      lock(Gym.WorkoutPlan.self).text == """
        annals plan lock 1
        version 1.0.0
          record BodyWeighed
            form (weight: float)
            fingerprint d6baa3874d97680dbb098f20f84aec38bb6b62b679ed86230ca91a78304b3144
            samples 1 faea2206f9e7e954aaac17c232b054b3d51c58f448f9433867d83db0a34ad018
          record Heartbeat
            form (n: int64)
            fingerprint 926f2fe599f7a358e8a2dcae0c8efa07f79e07c55136feedda779e77a1bba8ab
            samples -
          record SetsLogged
            form (exercise: text, weight: float, reps: int64, sets: int64)
            fingerprint 2ada023cb49d5e0e4af3b265c7b1e182aa5cb662bb0f2095fe99e5d98417fa68
            samples 1 2f86ce1b8c91be0d20f4ad7854fc47c06e6de9027a7b463a2f1010a6c12e52cb
        version 2.0.0
          record BodyWeighed
            form (kilograms(weight): float, note: text?)
            fingerprint dec542cd4ffccb1ddf5fdacf5648eeed777a2f089d44818e2a36b17a70cfab7f
            samples -
          record Heartbeat
            form (n: int64)
            fingerprint 926f2fe599f7a358e8a2dcae0c8efa07f79e07c55136feedda779e77a1bba8ab
            samples -
          record SetLogged
            form (exercise: text, kilograms: float, reps: int64)
            fingerprint a70baf42811ec905d57bf1c8aa2f94cdfa30c2bee46e6a3ea2ee2047111cf961
            samples -
          stage from 1.0.0
            takes BodyWeighed
              behaviour 1 73283cc3be17255784a325e60411c8a379ae4609f73528797a3473e32868d26e
            takes Heartbeat
              behaviour -
            takes SetsLogged
              behaviour 1 06f0c757c4204097ee7048ec2805b45fd464c7e9c82d3cd3287b86ea4309ea8b

        """)
  }

  @Test func `a lock is read as it was written`() throws {
    let text = lock(Gym.WorkoutPlan.self).text
    let read = try LockParser.parse(Array(text.utf8))
    #expect(read.text == text)
    #expect(read.versions.map(\.version) == [.init(1, 0, 0), .init(2, 0, 0)])
    #expect(read.versions.map(\.line) == [2, 15])
    #expect(read.versions[1].stage?.records.map(\.line) == [29, 31, 33])
  }

  @Test func `names of every kind are read as they were written`() throws {
    var lock = PlanLock()
    let names = ["a b", "back\\slash\\n", "e\u{301}", "form by name", "line\nfeed\r", "\u{e9}"]
    lock.versions = [
      .init(
        version: .init(1, 0, 0),
        records: names.map { name in
          .init(
            name: ExactText(name), formerNames: [ExactText("old \(name)")],
            reservedNames: [ExactText("\(name)!")], shape: nil, samples: nil)
        }, stage: nil)
    ]
    let read = try LockParser.parse(Array(lock.text.utf8))
    #expect(read.versions[0].records.map(\.name) == names.map { ExactText($0) })
    #expect(read.versions[0].records.map(\.formerNames) == names.map { [ExactText("old \($0)")] })
    #expect(read.versions[0].records.map(\.reservedNames) == names.map { [ExactText("\($0)!")] })
  }

  @Test func `a record that is stored by name has no fingerprint`() {
    #expect(lock(OrderPlan.self).text.contains("  record Pinged\n    form by name\n    samples -\n"))
  }

  @Test func `line ends of other systems are read`() throws {
    let text = lock(Gym.WorkoutPlan.self).text
    let read = try LockParser.parse(Array(text.replacing("\n", with: "\r\n").utf8))
    #expect(read.text == text)
  }

  @Test func `a draft is not locked`() {
    #expect(lock(DraftGym.WorkoutPlan.self).versions.map(\.version) == [.init(1, 0, 0)])
  }

  @Test func `a rule that needs a context has no digest`() {
    let stage = lock(CountingPlan.self).versions[1].stage
    #expect(stage?.records.map(\.name.text) == ["BodyWeighed", "Heartbeat", "SetsLogged"])
    #expect(stage?.records.map { $0.behaviour == nil } == [true, true, true])
  }

  @Test func `a file that is no lock is refused`() {
    for text in ["", "\n", "hello\n", "annals plan lock x\n", "annals plan lock 0\n", "annals plan lock\n"] {
      #expect(failure(text) == LockFailure(reason: .foreign, line: 1))
    }
  }

  @Test func `a lock of a later form is refused as such`() {
    #expect(failure("annals plan lock 5\nwhatever\n") == LockFailure(reason: .newer("5"), line: 1))
  }

  private static let first = "annals plan lock 1\nversion 1.0.0\n  record A\n"

  @Test(arguments: [
    ("    form by name\n    samples\n", 5, LockFailure.Reason.unexpected),
    ("    form by name\n    samples 1\n", 5, .digest),
    ("    form by name\n    samples 0 \(String(repeating: "0", count: 64))\n", 5, .digest),
    ("    form by name\n    samples 1 \(String(repeating: "0", count: 63))\n", 5, .digest),
    ("    form by name\n    samples 1 \(String(repeating: "A", count: 64))\n", 5, .digest),
    ("    form by name\n    samples 01 \(String(repeating: "0", count: 64))\n", 5, .notCanonical),
    ("    form by name\n", 5, .truncated),
    ("    form (a: int64)\n    samples -\n", 5, .unexpected),
    ("    form (a: int64)\n    fingerprint 00\n    samples -\n", 5, .fingerprint),
    ("    form by name\n    samples -\n<<<<<<< HEAD\n", 6, .unexpected),
    ("    form by name\n    samples -\n  record A\n", 6, .disorder),
    ("    form by name\n    samples -\nversion 1.0.0\n", 6, .disorder),
    ("    form by name\n    samples -\nversion 2.0.0\n", 6, .truncated),
    ("    form by name\n    samples -\nversion 2.0.0\n  stage from 1.1.0\n", 7, .stage),
    ("    form by name\n    samples -\nversion 2\n  stage from 1.0.0\n", 6, .notCanonical),
    ("    form by name\n    samples -\n\n", 6, .unexpected),
    ("    form by name\n    samples -\n  record \(String(repeating: "x", count: 501))\n", 6, .name),
  ])
  func `a damaged lock is refused with the line`(
    _ rest: String, _ line: Int, _ reason: LockFailure.Reason
  ) {
    #expect(failure(Self.first + rest) == LockFailure(reason: reason, line: line))
  }

  @Test func `a form that is no shape is refused with the place`() {
    let text = Self.first + "    form (a: int65)\n    fingerprint 00\n    samples -\n"
    guard case .form? = failure(text)?.reason else {
      Issue.record("not refused as a form")
      return
    }
    #expect(failure(text)?.line == 4)
  }

  @Test func `a line that is not text is refused`() {
    var bytes = Array(Self.first.utf8)
    bytes += [0x20, 0xff, 0x0a]
    let error = #expect(throws: LockFailure.self) { try LockParser.parse(bytes) }
    #expect(error == LockFailure(reason: .notText, line: 4))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a changed byte never does harm`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let text = Array(lock(Gym.WorkoutPlan.self).text.utf8)
    for _ in 0..<300 {
      var changed = text
      changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      do throws(LockFailure) {
        // The parsed text equals the changed one, so that nothing was misread.
        let read = try LockParser.parse(changed)
        #expect(Array(read.text.utf8) == changed)
      } catch {
        #expect((1...34).contains(error.line))
      }
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `a lock that was cut off never does harm`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let text = Array(lock(Gym.WorkoutPlan.self).text.utf8)
    for _ in 0..<200 {
      let cut = Array(text.prefix(Int.random(in: 0..<text.count, using: &random)))
      do throws(LockFailure) {
        let read = try LockParser.parse(cut)
        #expect(read.text.utf8.starts(with: cut))
      } catch {
        #expect((1...34).contains(error.line))
      }
    }
  }
}

private enum CountingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Gym.WorkoutsV1, Gym.WorkoutsV2> {
    MigrationStage.custom(
      fromVersion: Gym.WorkoutsV1.self, toVersion: Gym.WorkoutsV2.self,
      prepare: { history in try history.reduce(into: 0) { count, _ in count += 1 } }
    ) {
      Upcast(\.bodyWeighed, to: \.bodyWeighed) { old, origin, count in
        .init(kilograms: old.weight, note: "\(count)")
      }
      Drop(\.setsLogged, reason: "noise")
    }
  }
}

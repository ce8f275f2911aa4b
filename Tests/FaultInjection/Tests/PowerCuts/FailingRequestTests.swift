import FaultPrograms
import Testing

/// Processes whose system calls, or whose memory inside liblmdb, fail one after another while they create, open, append, read and close.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct FailingRequestTests {
  /// Of the requests behind the first two, one in so many is refused; each in the long form.
  private static let every = RunLength.count("ANNALS_FAULTS_EVERY", usual: 12)

  /// Refuses one request after another until a run has fewer than would be needed.
  ///
  /// - Parameter shift: What moves the choice, so that faults of several kinds meet different requests.
  /// - Returns: How many runs met the fault.
  private func refuse(_ fault: Fault, shift: Int, _ inspector: Inspector) throws -> Int {
    var runs = 0
    var codes: [String: Int] = [:]
    var number = 1
    while true {
      let outcome = try fault.run(at: number, inspector)
      #expect(outcome.finding == nil, "\(fault), from number \(number) on")
      for code in Set(outcome.codes) { codes[code, default: 0] += 1 }
      if outcome.fired == 0 { break }
      runs += 1
      number += number == 1 ? 1 : number == 2 ? 1 + shift % Self.every : Self.every
    }
    let told = codes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("\(fault): \(runs) runs met it; told: \(told.isEmpty ? "nothing" : told)")
    return runs
  }

  @Test(arguments: [
    "pwrite", "writev", "fsync", "fdatasync", "fallocate", "open", "mmap", "rename", "flock", "mkdir",
  ])
  func `a system call that fails is an error or goes unnoticed, and no answer is false`(call: String) throws {
    let inspector = try Inspector(seed: Attempt.seed, calls: Attempt.calls)
    var runs = 0
    for (place, kind) in Fault.Kind.allCases.enumerated() {
      if kind == .short, call != "pwrite", call != "writev" { continue }
      // A call that is interrupted for ever is repeated for ever.
      for times in kind == .interrupted ? [1, 20] : [1, 0] {
        let fault = Fault(call: call, kind: kind, times: times)
        runs += try refuse(fault, shift: place, inspector)
      }
    }
    #expect(runs > 0)
  }

  @Test(arguments: [1, 0]) func `memory that liblmdb does not get is an error, and changes nothing`(
    times: Int
  ) throws {
    let inspector = try Inspector(seed: Attempt.seed, calls: Attempt.calls)
    #expect(try refuse(Fault(call: nil, times: times), shift: 0, inspector) > 0)
  }
}

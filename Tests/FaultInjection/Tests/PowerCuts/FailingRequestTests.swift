import FaultPrograms
import Testing

/// Processes that create, open, append, read and close. One request after another fails: a system call, or an
/// allocation inside liblmdb.
@Suite(.serialized, .enabled(if: Shim.areUsable, "\(Shim.need)")) struct FailingRequestTests {
  /// After the first two requests, one in this many is refused; in the long form, each one.
  private static let every = RunLength.count("ANNALS_FAULTS_EVERY", usual: 12)

  /// Refuses one request after another until a run makes too few of them.
  ///
  /// - Parameter shift: Shifts the choice, so that faults of several kinds meet different requests.
  /// - Returns: The number of runs that met the fault.
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
      // A call that is interrupted forever is repeated forever.
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

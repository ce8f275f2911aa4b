package import Annals
import AnnalsTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Many payloads, each given to a decoder, and the findings.
package struct FieldFuzzRun {
  /// The time limit for one payload, in seconds of processor time. Payloads have at most 4 KiB, which takes
  /// microseconds.
  static let timeLimit = 0.5
  /// The number of accepted payloads that are kept for further changes, for each decoder.
  static let poolLimit = 256

  private let decoders: [FieldDecoder]
  private let corpus: [[UInt8]]
  private var pools: [[[UInt8]]]
  private var mutator: Mutator

  /// The number of payloads given to a decoder.
  package private(set) var executions = 0
  /// The number of those that were read.
  package private(set) var accepted = 0
  /// The number of refusals for each reason.
  package private(set) var refusals: [CodingFailure.Reason: Int] = [:]
  /// The first ten findings, in words, each with its payload in hexadecimal digits.
  package private(set) var findings: [String] = []
  /// The longest that one took, in seconds of the processor.
  package private(set) var slowest = 0.0

  /// A run whose payloads follow from `seed`.
  package init(seed: UInt64, decoders: [FieldDecoder] = FieldDecoder.all) throws {
    self.decoders = decoders
    corpus = try Corpus.payloads()
    pools = Array(repeating: [], count: decoders.count)
    mutator = Mutator(generator: SeededGenerator(seed: seed))
    for payload in corpus {
      for index in decoders.indices { execute(payload, index) }
    }
    for (index, decoder) in decoders.enumerated() {
      for payload in decoder.seeds { execute(payload, index) }
    }
  }

  /// The names of the decoders that read none of the payloads at the start of the run.
  package var unseeded: [String] {
    decoders.indices.filter { pools[$0].isEmpty }.map { decoders[$0].name }
  }

  /// Continues until there were `count` executions, or ten findings.
  package mutating func run(upTo count: Int) {
    while executions < count, findings.count < 10 {
      let index = Int.random(in: 0..<decoders.count, using: &mutator.generator)
      let base = pools[index].randomElement(using: &mutator.generator) ?? any()
      execute(mutator.mutated(base, with: any()), index)
    }
  }

  /// Any payload that some decoder reads, or one of the beginning.
  private mutating func any() -> [UInt8] {
    let pool = pools[Int.random(in: 0..<pools.count, using: &mutator.generator)]
    return pool.randomElement(using: &mutator.generator) ?? corpus.randomElement(using: &mutator.generator)
      ?? []
  }

  private mutating func execute(_ payload: [UInt8], _ index: Int) {
    executions += 1
    let decoder = decoders[index]
    let start = Self.processorTime()
    do throws(CodingFailure) {
      let written = try decoder.again(payload)
      accepted += 1
      if try !isRight(written, payload, decoder) { find("written as \(Self.hex(written))", payload, decoder) }
      keep(payload, index)
    } catch {
      refusals[error.reason, default: 0] += 1
      if !(0...payload.count).contains(error.offset) { find("\(error)", payload, decoder) }
    }
    var time = Self.processorTime() - start
    if time > Self.timeLimit {
      // The time includes what a virtual machine loses to its host, so only a payload that is slow twice is
      // slow.
      let again = Self.processorTime()
      _ = try? decoder.again(payload)
      time = min(time, Self.processorTime() - again)
    }
    slowest = max(slowest, time)
    if time > Self.timeLimit { find("took \(time) s", payload, decoder) }
  }

  private func isRight(
    _ written: [UInt8], _ payload: [UInt8], _ decoder: FieldDecoder
  ) throws(CodingFailure) -> Bool {
    // The output of an inexact decoder is right if reading it again changes nothing.
    written == (decoder.isExact ? payload : try decoder.again(written))
  }

  private mutating func keep(_ payload: [UInt8], _ index: Int) {
    if pools[index].count < Self.poolLimit {
      pools[index].append(payload)
    } else {
      pools[index][Int.random(in: 0..<Self.poolLimit, using: &mutator.generator)] = payload
    }
  }

  private mutating func find(_ what: String, _ payload: [UInt8], _ decoder: FieldDecoder) {
    findings.append("\(decoder.name), \(Self.hex(payload)): \(what)")
  }

  private static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Samples as the entries of a log outside any store, each at its own place.
struct SampleLog: Sendable {
  /// The id of a log outside any store.
  static let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

  /// The samples, in the order of their positions.
  private(set) var samples: [Sample] = []
  /// The facts about each entry.
  private(set) var origins: [Origin] = []

  /// Creates a log with each sample at one place.
  init(_ samples: [Sample], log: UUID = Self.id) {
    for (number, sample) in samples.enumerated() {
      add(sample, number, position: UInt64(number) + 1, at: number, log: log)
    }
  }

  /// Creates a log with each sample at as many places as there are ``moments``, each at another time.
  ///
  /// Neighbours belong to different records. A rule that keeps something from the entry before therefore does
  /// not find its own.
  init(everyMomentOf samples: [Sample]) {
    for round in Self.moments.indices {
      for (number, sample) in samples.enumerated() {
        let place = self.samples.count
        add(sample, place, position: UInt64(place) + 1, at: round + number, log: Self.id)
      }
    }
  }

  /// Adds the samples of a version. Their places do not depend on other versions.
  mutating func add(_ samples: [Sample], of version: SchemaVersion) {
    // Each version has room for a million samples. Numbers only need to differ, so larger ones may wrap.
    let base =
      ((UInt64(version.major) &* 1_000 &+ UInt64(version.minor)) &* 1_000 &+ UInt64(version.patch))
      &* 1_000_000
    for (number, sample) in samples.enumerated() {
      add(
        sample, number, position: base &+ UInt64(number) &+ 1, at: number, stream: "\(version)", log: Self.id)
    }
  }

  /// The next revision of each stream, for samples that name their streams.
  private var revisions: [StreamName: UInt64] = [:]

  private mutating func add(
    _ sample: Sample, _ number: Int, position: UInt64, at moment: Int, stream: String = "sample", log: UUID
  ) {
    samples.append(sample)
    let place = sample.stream ?? StreamName("\(stream)-\(number % 3)")
    let revision = sample.stream == nil ? UInt64(number / 3) : revisions[place, default: 0]
    revisions[place] = revision + 1
    origins.append(
      Origin(
        position: Position(position), stream: place, revision: Revision(revision),
        timestamp: Self.moments[moment % Self.moments.count],
        id: number % 2 == 0 ? nil : Self.id(number),
        metadata: number % 3 == 0 ? [:] : ["sample": .init(number)], log: log))
  }

  /// The entries.
  var entries: [(form: StoredForm, origin: Origin)] {
    zip(samples, origins).map { (form: $0.form, origin: $1) }
  }

  private static func id(_ number: Int) -> UUID {
    var generator = SplitMix64(state: UInt64(number))
    let (a, b) = (generator.next(), generator.next())
    let bytes = [a, b].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// Moments at which calendars disagree: before and after midnight, new year, a leap day and the changes to
  /// summer time, and far from the present.
  static let moments: [Timestamp] = [
    // 2001-01-01T00:00:00Z, 1994-12-31T18:30:00Z (1995 in Kolkata), 2000-02-29T23:59:59.999999Z
    978_307_200_000_000, 788_898_600_000_000, 951_868_799_999_999,
    // 2024-01-01T01:00:00Z (2023 in St. John's), 2024-03-31T01:30:00Z, 2024-10-27T01:30:00Z
    1_704_070_800_000_000, 1_711_848_600_000_000, 1_729_992_600_000_000,
    // 1969-12-31T23:59:59.5Z, 2038-01-19T03:14:08Z
    -500_000, 2_147_483_648_000_000,
  ].map { Timestamp(microseconds: $0) }
}

/// A generator of pseudorandom numbers, the same for the same seed.
///
/// Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The programs of other machines, each until its announcement is out of date. It reads no clock.
struct ProgramBook {
  /// The most machines that are remembered: many more than a cluster has.
  private static let limit = 1_024

  private struct Machine {
    var programs: [LiveProgram]
    var end: ContinuousClock.Instant
  }

  private var machines: [UUID: Machine] = [:]

  /// Takes an announcement of another machine.
  mutating func take(_ announcement: ProgramAnnouncement, now: ContinuousClock.Instant) {
    guard !announcement.programs.isEmpty else {
      machines[announcement.machine] = nil
      return
    }
    machines = machines.filter { $0.value.end > now }
    guard machines.count < Self.limit || machines[announcement.machine] != nil else { return }
    machines[announcement.machine] = Machine(
      programs: announcement.programs, end: now + .milliseconds(Int64(announcement.milliseconds)))
  }

  /// The programs that count as running.
  func living(now: ContinuousClock.Instant) -> [LiveProgram] {
    machines.values.filter { $0.end > now }.flatMap(\.programs)
  }
}

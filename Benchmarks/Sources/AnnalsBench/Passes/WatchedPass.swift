import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A pass that was run, and how long each phase of it took.
struct WatchedPass: Sendable {
  /// What a pass does with every entry.
  enum Work: String, Sendable {
    /// A rule of the program's own changes it.
    case rule
    /// Nothing changes but its version.
    case carried
    /// It is copied as it is.
    case compact
  }

  let report: MigrationReport
  let phases: [MigrationProgress.Phase: Duration]
  /// When it began and ended.
  let span: Range<ContinuousClock.Instant>

  /// When the switch was seen to begin, or a moment later.
  let switching: ContinuousClock.Instant?

  /// How long the copy took, looking ahead included.
  var copying: Duration { (phases[.preparing] ?? .zero) + (phases[.copying] ?? .zero) }
  /// How long all of it took.
  var whole: Duration { span.lowerBound.duration(to: span.upperBound) }

  /// Opens the store in `directory`, runs a pass and closes it.
  init(_ work: Work, in directory: URL, _ options: MigrationOptions = MigrationOptions()) async throws {
    let place = TypedLog.place(in: directory)
    switch work {
    case .rule: try await self.init(EventStore(at: place, plan: OneUpcast.self).migrate(options))
    case .carried: try await self.init(EventStore(at: place, plan: TenCarried.self).migrate(options))
    case .compact: try await self.init(EventLog(at: place).compact(options))
    }
  }

  /// Watches a pass to its end.
  init(_ run: MigrationRun) async throws {
    let begin = ContinuousClock.now
    let watch = Task {
      var phases: [MigrationProgress.Phase: Duration] = [:]
      var last = begin
      var switching: ContinuousClock.Instant?
      while !Task.isCancelled {
        let phase = run.current.phase
        if switching == nil, phase == .switching || phase == .finished { switching = .now }
        do { try await Task.sleep(for: .microseconds(500)) } catch {
          // Asked to end: what has passed since still counts.
        }
        let now = ContinuousClock.now
        phases[phase, default: .zero] += last.duration(to: now)
        last = now
      }
      return (phases, switching)
    }
    let result: Result<MigrationReport, AnnalsError>
    do throws(AnnalsError) { result = .success(try await run.report()) } catch { result = .failure(error) }
    span = begin..<ContinuousClock.now
    watch.cancel()
    (phases, switching) = await watch.value
    report = try result.get()
  }

  /// The share of the whole that each phase took.
  var shares: [String: Double] {
    var shares: [String: Double] = ["copy": copying / whole]
    for (phase, time) in phases
    where phase != .preparing && phase != .copying && phase != .finished && time > .milliseconds(1) {
      shares[phase.rawValue] = time / whole
    }
    return shares
  }
}

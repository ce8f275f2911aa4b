public import AnnalsCoding
internal import AnnalsLog
internal import Synchronization

/// An observer that counts the work of a process, and returns the counters in Prometheus' text format.
///
/// ```swift
/// let metrics = StoreMetrics()
/// var options = StoreOptions()
/// options.observer = metrics
/// let log = try EventLog(at: url, options: options)
/// let page = metrics.prometheusText + (try log.prometheusMetrics())
/// ```
public final class StoreMetrics: StoreObserver {
  /// A sum of durations, and how many there were.
  private struct Timing {
    var count = 0
    var seconds = 0.0

    mutating func add(_ duration: Duration) {
      count += 1
      seconds += duration / .seconds(1)
    }
  }

  /// A stage of the plan.
  private struct Stage: Hashable {
    let from: SchemaVersion
    let to: SchemaVersion
  }

  private struct Counters {
    var (commits, reads, passes) = (Timing(), Timing(), Timing())
    var (storedEvents, storedBytes, calls, readEntries, readBytes, quarantined) = (0, 0, 0, 0, 0, 0)
    var upcasts: [Stage: Int] = [:]
    var batches: [ExactText: Int] = [:]
    var retries: [RetryActivity.Work: [ExactText: Int]] = [:]
    var deadLetters: [ExactText: Int] = [:]
  }

  private let counters = Mutex(Counters())

  /// Creates an observer whose counters are zero.
  public init() {}

  /// Counts a commit.
  public func committed(_ activity: CommitActivity) {
    counters.withLock { counters in
      counters.commits.add(activity.duration)
      counters.storedEvents += activity.events
      counters.storedBytes += activity.bytes
      counters.calls += activity.calls
    }
  }

  /// Counts a page.
  public func read(_ activity: ReadActivity) {
    counters.withLock { counters in
      counters.reads.add(activity.duration)
      counters.readEntries += activity.entries
      counters.readBytes += activity.bytes
    }
  }

  /// Counts the entries of a stage.
  public func upcast(_ activity: UpcastActivity) {
    let stage = Stage(from: activity.from, to: activity.to)
    counters.withLock { $0.upcasts[stage, default: 0] += activity.entries }
  }

  /// Counts a pass.
  public func passed(_ activity: PassActivity) {
    counters.withLock { $0.passes.add(activity.duration) }
  }

  /// Counts a batch of a view.
  public func followed(_ activity: ViewActivity) {
    counters.withLock { $0.batches[ExactText(activity.name), default: 0] += 1 }
  }

  /// Counts a retry.
  public func retried(_ activity: RetryActivity) {
    counters.withLock { $0.retries[activity.work, default: [:]][ExactText(activity.name), default: 0] += 1 }
  }

  /// Counts a skipped entry.
  public func quarantined(_ entry: QuarantinedEntry) {
    counters.withLock { $0.quarantined += 1 }
  }

  /// Counts a dead letter.
  public func deadLettered(_ activity: DeadLetterActivity) {
    counters.withLock { $0.deadLetters[ExactText(activity.consumer), default: 0] += 1 }
  }

  /// The counters in Prometheus' text format. They are zero when the process begins.
  ///
  /// - Complexity: O(stages, views and consumers that were counted).
  public var prometheusText: String {
    let counters = counters.withLock { $0 }
    var text = PrometheusText()
    func add(_ name: String, _ help: String, _ value: Double) { text.add(name, .counter, help, value) }
    func add(_ name: String, _ help: String, _ label: String, _ values: [ExactText: Int]) {
      text.add(
        name, .counter, help,
        values.sorted { $0.key < $1.key }.map { (labels: [(label, $0.key.text)], value: Double($0.value)) })
    }
    add("commits_total", "Commits of appends.", Double(counters.commits.count))
    add("commit_seconds_total", "Time of commits.", counters.commits.seconds)
    add("commit_calls_total", "Calls that shared the commits.", Double(counters.calls))
    add("stored_events_total", "Events stored by this process.", Double(counters.storedEvents))
    add("stored_bytes_total", "Bytes of the encoded calls.", Double(counters.storedBytes))
    add("read_pages_total", "Pages of entries read.", Double(counters.reads.count))
    add("read_seconds_total", "Time of reading pages.", counters.reads.seconds)
    add("read_entries_total", "Entries decoded.", Double(counters.readEntries))
    add("read_bytes_total", "Bytes of the entries decoded.", Double(counters.readBytes))
    text.add(
      "upcast_entries_total", .counter, "Entries that passed a stage.",
      counters.upcasts.sorted { $0.key.from < $1.key.from }.map { stage, count in
        (labels: [("from", "\(stage.from)"), ("to", "\(stage.to)")], value: Double(count))
      })
    add("passes_total", "Migration passes.", Double(counters.passes.count))
    add("pass_seconds_total", "Time of migration passes.", counters.passes.seconds)
    add("view_batches_total", "Batches of rows that a view stored.", "name", counters.batches)
    for work in [RetryActivity.Work.decision, .handler] {
      add(
        "\(work.rawValue)_retries_total", "Attempts after the first.", "name",
        counters.retries[work] ?? [:])
    }
    add("quarantined_total", "Entries that readers skipped.", Double(counters.quarantined))
    add("dead_letters_total", "Entries that a consumer set apart.", "name", counters.deadLetters)
    return text.text
  }
}

package import AnnalsCoding
package import AnnalsLog
package import AnnalsProjections
internal import AnnalsSchema
internal import AnnalsStore
package import AnnalsSubscriptions
package import AnnalsVerify

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Everything that a page about a store shows, as a value. It has no payloads but those of ``chains``.
package struct StoreReport: Sendable {
  /// The result of a check of every entry.
  package struct Verification: Sendable {
    /// When the check ended.
    package let time: Timestamp
    package let report: VerifyReport
  }

  /// What a plan says of the store.
  package struct Outlook: Sendable {
    /// The versions of the plan, oldest first.
    package let versions: [SchemaVersion]
    package let check: StoreCheck
  }

  /// The dead letters of one consumer.
  package struct Letters: Sendable {
    /// The most letters that are listed for a consumer.
    package static let limit = 20
    package let consumer: String
    /// The first ones, at most ``limit``.
    package let letters: [DeadLetter]
  }

  /// The options of a report.
  package struct Options: Sendable {
    /// The entries to show with their payloads.
    package var entries: [Position] = []
    /// What the plan says; `nil` without a plan.
    package var plan: ReportPlan?
    /// The result of the latest check, if there was one.
    package var verification: Verification?
    /// The time between the two looks from which rates are worked out.
    package var interval = Duration.milliseconds(250)

    package init() {}
  }

  /// The name of the store's directory.
  package let name: String
  /// When the report was made.
  package let time: Timestamp
  package let info: LogInfo
  /// The numbers at the second look.
  package let pulse: StorePulse
  /// How fast the store changed between the looks; `nil` if that is not known.
  package let rate: PulseRate?
  package let sample: EntrySample
  package let streams: StreamSizes
  package let views: [ViewInfo]
  package let inline: [InlineInfo]
  package let consumers: [ConsumerInfo]
  package let letters: [Letters]
  package let programs: [LiveProgram]
  package let outlook: Outlook?
  package let verification: Verification?
  package let chains: [EntryChain]
}

extension StoreReport {
  /// Looks at the store twice and makes a report of it. Nothing is changed.
  ///
  /// - Parameters:
  ///   - log: The store, open for reading.
  ///   - url: Its directory.
  ///   - earlier: An earlier look, from which rates are worked out instead of a first one of this call.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for an entry that the log does not have; otherwise as
  ///   ``EventLog/info()``. Damaged entries end the sample, and are no error.
  /// - Complexity: O(``EntrySample/limit`` + ``StreamSizes/limit`` + views, consumers and their letters),
  ///   regardless of the length of the log.
  package init(
    of log: EventLog, at url: URL, since earlier: StorePulse? = nil, _ options: Options = Options()
  ) async throws(AnnalsError) {
    let first: StorePulse
    if let earlier {
      first = earlier
    } else {
      first = try log.pulse()
      // A report that is cancelled in between is finished without a rate.
      try? await Task.sleep(for: options.interval)
    }
    let sample = try log.sample()
    let info = try log.info()
    let consumers = try log.consumers()
    let pulse = try log.pulse()
    self.name = WholeFile(url).name
    self.time = .now
    self.info = info
    self.pulse = pulse
    self.rate = PulseRate(from: first, to: pulse)
    self.sample = sample
    self.streams = try log.streamSizes(sample, of: info.streams)
    self.views = try log.views()
    self.inline = try log.inlineProjections()
    self.consumers = consumers
    self.letters = try consumers.filter { $0.deadLetters > 0 }.map { (consumer) throws(AnnalsError) in
      Letters(
        consumer: consumer.name, letters: Array(try log.deadLetters(consumer.name).prefix(Letters.limit)))
    }
    self.programs = try log.programs()
    self.outlook = try options.plan.map { (plan) throws(AnnalsError) in
      Outlook(versions: plan.versions, check: try plan.check(url))
    }
    self.verification = options.verification
    self.chains = try options.entries.map { (position) throws(AnnalsError) in
      if let plan = options.plan { return EntryChain(try plan.explain(log, position)) }
      let entry = try log.read { (snapshot) throws(AnnalsError) in try snapshot.entry(at: position) }
      guard let entry else {
        throw AnnalsError(
          .wrongUse, "there is no position \(position): the log has \(info.entries) entries",
          details: AnnalsError.Details { $0.position = position })
      }
      return EntryChain(entry)
    }
  }
}

extension StoreReport.Verification {
  /// Checks the store at `url` now.
  ///
  /// - Throws: As ``EventLog/verify(_:progress:)``.
  package init(
    of url: URL, progress: (EventLog.Progress) -> Void = { _ in }
  ) throws(AnnalsError) {
    let report = try EventLog.verify(url, progress: progress)
    self.init(time: .now, report: report)
  }
}

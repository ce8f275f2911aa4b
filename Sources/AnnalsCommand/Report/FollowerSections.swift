import Annals

/// The sections of a page about views, consumers, and programs that have the store open.
struct FollowerSections {
  let report: StoreReport

  func write(to page: inout HTMLWriter) {
    views(&page)
    consumers(&page)
    programs(&page)
  }

  private func rate(_ index: Int) -> String {
    guard let rate = report.rate?.followers[index] else { return "-" }
    return "\(Quantity.rate(rate))/s"
  }

  private func views(_ page: inout HTMLWriter) {
    page.element("h2", "Views and inline projections")
    let rows = report.pulse.followers.enumerated().filter { $1.role != .consumer }.map { index, view in
      [
        view.name, view.version.map { "\($0)" } ?? "", view.role == .view ? "view" : "inline",
        view.state ?? "", Quantity.count(view.position), Quantity.count(view.lag),
        view.rows.map { Quantity.count(UInt64(clamping: $0)) } ?? "in the log", rate(index),
      ]
    }
    page.table(
      [
        .init(title: "name"), .init(title: "version", isNumber: true), .init(title: "kind"),
        .init(title: "state"), .init(title: "position", isNumber: true), .init(title: "lag", isNumber: true),
        .init(title: "rows and keys", isNumber: true), .init(title: "rate", isNumber: true),
      ], rows, ifEmpty: "The store has none.")
  }

  private func consumers(_ page: inout HTMLWriter) {
    page.element("h2", "Consumers and dead letters")
    let times = Dictionary(
      report.consumers.map { ($0.name, "\($0.time)") }, uniquingKeysWith: { first, _ in first })
    let rows = report.pulse.followers.enumerated().filter { $1.role == .consumer }.map { index, consumer in
      [
        consumer.name, Quantity.count(consumer.position), Quantity.count(consumer.lag), rate(index),
        times[consumer.name] ?? "", Quantity.count(UInt64(clamping: consumer.deadLetters)),
      ]
    }
    page.table(
      [
        .init(title: "consumer"), .init(title: "position", isNumber: true),
        .init(title: "lag", isNumber: true),
        .init(title: "rate", isNumber: true), .init(title: "checkpoint stored"),
        .init(title: "dead letters", isNumber: true),
      ], rows, ifEmpty: "No consumer keeps its checkpoint in the store.")
    let letters = report.letters.flatMap { consumer in
      consumer.letters.map { letter in
        [
          consumer.consumer, "\(letter.position)", letter.stream.text, letter.reason, "\(letter.attempts)",
          "\(letter.time)",
        ]
      }
    }
    guard !letters.isEmpty else { return }
    page.element("h3", "Dead letters, the first \(StoreReport.Letters.limit) of each consumer")
    page.table(
      [
        .init(title: "consumer"), .init(title: "position", isNumber: true), .init(title: "stream"),
        .init(title: "reason"), .init(title: "attempts", isNumber: true), .init(title: "set apart"),
      ], letters, ifEmpty: "")
  }

  private func programs(_ page: inout HTMLWriter) {
    page.element("h2", "Programs that have the store open")
    page.table(
      [.init(title: "process"), .init(title: "reads up to"), .init(title: "newer types")],
      report.programs.map { program in
        [
          program.process.map { "\($0)" } ?? "?", program.version.map { "\($0)" } ?? "?",
          program.skipsNewerTypes ? "skipped" : "an error",
        ]
      }, ifEmpty: "No program has it open with a plan.")
  }
}

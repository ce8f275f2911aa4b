import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A report as one HTML page: no script, no network, and every text of the store escaped.
struct ReportPage {
  let report: StoreReport
  /// The seconds after which the page loads itself again; `nil` for a page that stays as it is.
  var reload: Int?

  /// The page, in UTF-8.
  var html: String {
    var page = HTMLWriter()
    page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    // Even if an escape were missed, nothing could run and nothing could be fetched.
    page.open(
      "meta",
      [
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; style-src 'sha256-\(ReportStyle.hash)'",
      ])
    page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
    if let reload { page.open("meta", ["http-equiv": "refresh", "content": "\(reload)"]) }
    page.element("title", "\(report.name) - Annals")
    page.markup("<style>")
    page.markup(ReportStyle.sheet)
    page.markup("</style>\n</head>\n<body>\n<main>\n")
    header(&page)
    LogSections(report: report).write(to: &page)
    FollowerSections(report: report).write(to: &page)
    EntrySections(chains: report.chains).write(to: &page)
    page.markup("</main>\n</body>\n</html>\n")
    return page.text
  }

  private func header(_ page: inout HTMLWriter) {
    let (info, pulse) = (report.info, report.pulse)
    page.element("h1", report.name)
    page.element(
      "p", ["class": "dim"], "Annals store \(info.id.uuidString.lowercased()), looked at \(report.time)")
    if let problem = report.sample.problem {
      page.element("p", ["class": "bad"], "The log cannot be read to its end: \(problem)")
    }
    page.element("div", ["class": "cards"]) { page in
      card(&page, Quantity.count(info.entries), "entries")
      card(&page, Quantity.count(info.streams), "streams")
      card(&page, Quantity.bytes(pulse.payloadBytes), "payloads")
      card(&page, "\(Quantity.rate(report.rate?.entries ?? 0))/s", "entries stored now")
      card(&page, Quantity.bytes(pulse.fileBytes), "file, \(Quantity.bytes(pulse.freeBytes)) of it free")
      card(&page, Quantity.bytes(pulse.mapBytes), "map")
      card(&page, "\(pulse.readers)", readers)
      card(&page, "\(info.generation)", generation)
    }
  }

  private var readers: String {
    guard let oldest = report.info.oldestReader else { return "open snapshots" }
    return "open snapshots; the oldest, of process \(oldest.process), lags \(oldest.commitsBehind) commits"
  }

  private var generation: String {
    var text = "generation"
    if report.info.state == .appendsSuspended { text += ", takes no appends before 'accept'" }
    if let old = report.info.predecessor { text += "; \(old.generation) is kept" }
    if let pass = report.info.pass { text += "; a pass builds \(pass.generation)" }
    return text
  }

  private func card(_ page: inout HTMLWriter, _ value: String, _ label: String) {
    page.element("div", ["class": "card"]) { page in
      page.element("b", value)
      page.element("span", label)
    }
  }
}

extension HTMLWriter {
  /// A column of a table.
  struct Column {
    let title: String
    /// Whether the column has numbers.
    var isNumber = false
  }

  /// Appends a table, or a line of text if there are no rows.
  mutating func table(_ columns: [Column], _ rows: [[String]], ifEmpty text: String) {
    guard !rows.isEmpty else { return element("p", ["class": "dim"], text) }
    element("div", ["class": "scroll"]) { page in
      page.element("table") { page in
        page.element("thead") { page in
          page.element("tr") { page in
            for column in columns { page.element("th", ["class": column.isNumber ? "n" : ""], column.title) }
          }
        }
        page.element("tbody") { page in
          for row in rows {
            page.element("tr") { page in
              for (column, text) in zip(columns, row) {
                page.element("td", ["class": column.isNumber ? "n" : "t"], text)
              }
            }
          }
        }
      }
    }
    markup("\n")
  }
}

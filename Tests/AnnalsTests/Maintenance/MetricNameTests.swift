import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Names in the labels of metrics.
@Suite struct MetricNameTests {
  @Test func `a quote is escaped also where an accent follows it`() {
    var text = PrometheusText()
    text.add("events", .gauge, "Events.", [(labels: [("type", "a\"\u{301}b")], value: 1)])
    let line = text.text.utf8.split(separator: UInt8(ascii: "\n")).last.map(Array.init)
    #expect(line == Array("annals_events{type=\"a\\\"\u{301}b\"} 1".utf8))
  }

  @Test func `names are distinguished by their bytes`() {
    let metrics = StoreMetrics()
    for name in ["\u{e9}", "e\u{301}", "e\u{301}"] {
      metrics.retried(RetryActivity(work: .handler, name: name, stream: nil, attempt: 2))
    }
    let lines = metrics.prometheusText.utf8.split(separator: UInt8(ascii: "\n")).map(Array.init)
    #expect(lines.contains(Array("annals_handler_retries_total{name=\"\u{e9}\"} 1".utf8)))
    #expect(lines.contains(Array("annals_handler_retries_total{name=\"e\u{301}\"} 2".utf8)))
  }
}

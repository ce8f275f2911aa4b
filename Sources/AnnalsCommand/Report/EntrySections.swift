import Annals

/// The sections of a page that show entries with their payloads, each as columns from stored to now.
struct EntrySections {
  let chains: [EntryChain]

  func write(to page: inout HTMLWriter) {
    for chain in chains {
      page.element("h2", "Entry \(chain.position)")
      let size = chain.size.map { ", \(Quantity.bytes(UInt64(clamping: $0))) in the log" } ?? ""
      page.element(
        "p", ["class": "dim"], "stream \(chain.stream), revision \(chain.revision), \(chain.time)\(size)")
      if let failure = chain.failure { page.element("p", ["class": "bad"], failure) }
      page.element("div", ["class": "chain"]) { page in
        for column in chain.columns { write(column, to: &page) }
      }
      page.markup("\n")
    }
  }

  private func write(_ column: EntryChain.Column, to page: inout HTMLWriter) {
    page.element("section", ["class": "stage"]) { page in
      page.element("h4", column.title)
      for note in column.notes { page.element("p", ["class": "dim"], note) }
      for event in column.events {
        let path = event.path.isEmpty ? "" : " [\(event.path.map(String.init).joined(separator: ", "))]"
        page.element("p") { $0.element("b", "\(event.type)\(path)") }
        page.element("dl") { page in
          for field in event.fields {
            page.element("div", ["class": field.change == .same ? "" : field.change.rawValue]) { page in
              page.element("dt", field.name)
              page.element("dd", field.value)
            }
          }
        }
      }
    }
  }
}

/// The parts of SwiftUI that the screen needs, so that it compiles without SwiftUI.
protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  var body: Never { fatalError("a view without content has no body") }
}

@resultBuilder enum ViewBuilder {
  static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

@propertyWrapper struct State<Value> {
  var wrappedValue: Value
}

/// A list of rows. Tests look at the views of its rows.
struct List<Row, Content: View>: View {
  let contents: [Content]
  var body: Never { fatalError("a list is drawn by the system") }

  init<ID>(_ rows: [Row], id: KeyPath<Row, ID>, @ViewBuilder content: (Row) -> Content) {
    contents = rows.map(content)
  }
}

struct Button: View {
  let title: String
  let action: () -> Void
  var body: Never { fatalError("a button is drawn by the system") }

  init(_ title: String, action: @escaping () -> Void) {
    self.title = title
    self.action = action
  }
}

// from HistoryView
@propertyWrapper struct State<Value> { var wrappedValue: Value }
protocol View {}
struct Text: View { init(_ text: String) {} }
struct List: View { init<Row, ID>(_ rows: [Row], id: KeyPath<Row, ID>, row: (Row) -> Text) {} }
@MainActor struct Screen {
// here
}

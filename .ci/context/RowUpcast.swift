// from HistoryView
enum FileTreeV1 { @Record struct File: ProjectionRow { var path: String; var blob: String; var key: String { path } } }
enum Upcasting {
// here
}

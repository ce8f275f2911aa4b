// from HistoryView
func fold(_ commit: HistoryV3.CommitMade, into rows: inout ProjectionRows) throws {
// here
}

// from HistoryView
func show(_ players: [Player]) {}

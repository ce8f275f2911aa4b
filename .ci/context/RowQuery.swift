// from HistoryView

// from History

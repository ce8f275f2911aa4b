import Testing
// from OrderStore

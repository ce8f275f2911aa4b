// from OrderStore

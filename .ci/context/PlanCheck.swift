import Testing
// from OrderStore
let lock = URL(filePath: "OrderPlan.lock")

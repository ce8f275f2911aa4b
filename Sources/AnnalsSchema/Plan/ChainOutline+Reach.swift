internal import AnnalsCoding

extension ChainOutline {
  /// Returns, for each record of each schema, the cases of the current schema that can result from it.
  func reach() -> [[Set<Int>]] {
    guard let current = schemas.last else { return [] }
    var newest = [current.records.indices.map { Set([$0]) }]
    for crossings in crossings.reversed() {
      let next = newest[newest.endIndex - 1]
      let all = next.reduce(into: Set<Int>()) { $0.formUnion($1) }
      newest.append(
        crossings.map { crossing in
          switch crossing {
          case .rule(.anything): all
          case .rule(.cases(let outputs)): outputs.reduce(into: []) { $0.formUnion(next[$1]) }
          case .carried(let index), .converted(let index, _), .redeclared(let index): next[index]
          case .rule(.nothing), .rule(.retained), .rule(.unknown), .forgotten: []
          }
        })
    }
    return newest.reversed()
  }
}

extension ChainOutline {
  /// For each record of each schema, the cases of the current schema that can come of it.
  func reach() -> [[Set<Int>]] {
    guard let current = schemas.last else { return [] }
    var newest = [current.records.indices.map { Set([$0]) }]
    for (index, stage) in stages.enumerated().reversed() {
      let next = newest[newest.endIndex - 1]
      let all = next.reduce(into: Set<Int>()) { $0.formUnion($1) }
      newest.append(
        schemas[index].records.enumerated().map { number, record in
          switch stage.effect(on: number) {
          case .anything: all
          case .cases(let outputs): outputs.reduce(into: []) { $0.formUnion(next[$1]) }
          case .nothing, .unknown: []
          case nil: schemas[index + 1].index(of: record.name).map { next[$0] } ?? []
          }
        })
    }
    return newest.reversed()
  }
}

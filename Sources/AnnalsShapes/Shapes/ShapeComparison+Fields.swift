extension ShapeComparison {
  /// Returns, for each field of the newer record, the number of the field of the older record that it is;
  /// `nil` for one that is new, or that the stage moves out of a nested record.
  ///
  /// - Parameters:
  ///   - older: The older of the two shapes that were compared.
  ///   - newer: The newer one.
  package func olderFields(_ older: RecordShape, _ newer: RecordShape) -> [Int?] {
    let numbers = Dictionary(
      older.fieldIDs.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let partners = Dictionary(matches.map { ($0.newer, $0.older) }, uniquingKeysWith: { first, _ in first })
    return newer.fieldIDs.map { partners[$0].flatMap { numbers[$0] } }
  }
}

extension RecordShape {
  /// The numbers of the record's own fields in the shape's graph.
  fileprivate var fieldIDs: [Int] {
    let graph = ShapeGraph(self)
    guard case .record(let fields)? = graph.nodes.first else { return [] }
    return fields.map(\.id)
  }
}

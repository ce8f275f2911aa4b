internal import AnnalsCoding

/// The fields of stored payloads that a chain of conversions uses.
///
/// A graph, because types may contain themselves.
package struct FieldUses: Sendable {
  /// The used parts of one value.
  private enum Node: Sendable {
    /// All of it.
    case all
    /// None of it: the conversions remove the value.
    case nothing
    /// For a record, the use of each field.
    case record([Int])
    /// For an array or a set, the use of each element.
    case elements(Int)
    /// For a dictionary, the use of each value.
    case values(Int)
    /// For an enum, the use of the values of each case.
    case choice([[Int]])
    /// Not computed yet.
    case pending
  }

  /// The use of a value, as a node of the graph.
  struct Use: Hashable, Sendable {
    fileprivate let number: Int
    /// All of it.
    static let all = Use(number: 0)
    fileprivate static let nothing = Use(number: 1)
  }

  /// A call of a definition, with the wanted part of its result.
  private struct Call: Hashable {
    let definition: Int
    let wanted: Int
  }

  private var nodes: [Node] = [.all, .nothing]
  /// The use of the whole payload.
  private(set) var root = Use.all

  /// Computes which parts of the first one's payloads `conversions` use when applied one after the other.
  ///
  /// - Complexity: O(the size of the mappings).
  init(_ conversions: [Conversion]) {
    var wanted = Use.all.number
    for (mapping, definitions) in conversions.flatMap(\.mappings).reversed() {
      var calls: [Call: Int] = [:]
      wanted = used(by: mapping, definitions, wanted: wanted, &calls)
    }
    root = Use(number: wanted)
  }

  /// Whether some part of the payload is unused.
  var isPartial: Bool { !isAll(root) }

  /// Returns whether all of a value is used.
  func isAll(_ use: Use) -> Bool {
    if case .all = nodes[use.number] { true } else { false }
  }

  /// Returns whether a value is removed.
  func isNothing(_ use: Use) -> Bool { isNothing(use.number) }

  /// Returns the use of the field numbered `index` of a record.
  func field(_ index: Int, of use: Use) -> Use { Use(number: part(index, of: use.number)) }

  /// Returns the use of the elements of an array or a set.
  func element(of use: Use) -> Use { Use(number: element(of: use.number)) }

  /// Returns the use of the values of a dictionary.
  func value(of use: Use) -> Use { Use(number: value(of: use.number)) }

  /// Returns the use of the value numbered `index` of a case.
  func value(_ index: Int, ofCase number: Int, of use: Use) -> Use {
    Use(number: held(index, number, of: use.number))
  }

  private func isNothing(_ number: Int) -> Bool {
    if case .nothing = nodes[number] { true } else { false }
  }

  private func part(_ index: Int, of number: Int) -> Int {
    switch nodes[number] {
    case .nothing: number
    case .record(let parts) where parts.indices.contains(index): parts[index]
    default: Use.all.number
    }
  }

  private func element(of number: Int) -> Int {
    switch nodes[number] {
    case .nothing: number
    case .elements(let inner): inner
    default: Use.all.number
    }
  }

  private func value(of number: Int) -> Int {
    switch nodes[number] {
    case .nothing: number
    case .values(let inner): inner
    default: Use.all.number
    }
  }

  private func held(_ index: Int, _ oneCase: Int, of number: Int) -> Int {
    switch nodes[number] {
    case .nothing: number
    case .choice(let cases) where cases.indices.contains(oneCase) && cases[oneCase].indices.contains(index):
      cases[oneCase][index]
    default: Use.all.number
    }
  }
}

// The construction of the graph.
extension FieldUses {
  /// Adds a node and returns its number; if all of each part is used, that of the whole.
  private mutating func add(_ node: Node) -> Int {
    let parts =
      switch node {
      case .record(let parts): parts
      case .elements(let inner), .values(let inner): [inner]
      case .choice(let cases): cases.flatMap { $0 }
      case .all, .nothing, .pending: [Use.nothing.number]
      }
    if parts.allSatisfy({ isAll(Use(number: $0)) }) { return Use.all.number }
    nodes.append(node)
    return nodes.count - 1
  }

  /// Returns the parts of a value that `mapping` uses if `wanted` of its result is used.
  private mutating func used(
    by mapping: Mapping, _ definitions: [Mapping], wanted: Int, _ calls: inout [Call: Int]
  ) -> Int {
    guard !isNothing(wanted) else { return Use.nothing.number }
    switch mapping {
    case .same: return wanted
    case .constant: return Use.nothing.number
    case .scalar, .named: return Use.all.number
    case .wrap(let inner): return used(by: inner, definitions, wanted: element(of: wanted), &calls)
    case .unwrap(let inner): return add(.elements(used(by: inner, definitions, wanted: wanted, &calls)))
    case .optional(let inner): return used(by: inner, definitions, wanted: wanted, &calls)
    case .field(let index, let count, let inner):
      var parts = Array(repeating: Use.nothing.number, count: count)
      let inner = used(by: inner, definitions, wanted: wanted, &calls)
      if parts.indices.contains(index) { parts[index] = inner }
      return add(.record(parts))
    case .fields(let count, let made):
      return add(
        .record(parts(count, made, definitions, &calls) { uses, index in uses.part(index, of: wanted) }))
    case .list(let inner), .set(let inner):
      return add(.elements(used(by: inner, definitions, wanted: element(of: wanted), &calls)))
    case .map(_, let inner, _, _):
      return add(.values(used(by: inner, definitions, wanted: value(of: wanted), &calls)))
    case .choice(let cases):
      var all: [[Int]] = []
      for oneCase in cases {
        // A case without a counterpart is refused.
        guard let target = oneCase.target else {
          all.append(Array(repeating: Use.all.number, count: oneCase.count))
          continue
        }
        all.append(
          parts(oneCase.count, oneCase.values, definitions, &calls) { uses, index in
            uses.held(index, target, of: wanted)
          })
      }
      return add(.choice(all))
    case .call(let definition):
      let call = Call(definition: definition, wanted: wanted)
      if let known = calls[call] { return known }
      let number = add(.pending)
      calls[call] = number
      nodes[number] = nodes[used(by: definitions[definition], definitions, wanted: wanted, &calls)]
      return number
    }
  }

  /// Returns the use of each of the `count` fields of a record by the mappings that make another one of it.
  private mutating func parts(
    _ count: Int, _ made: [Mapping], _ definitions: [Mapping], _ calls: inout [Call: Int],
    wanted: (FieldUses, Int) -> Int
  ) -> [Int] {
    var parts = Array(repeating: Use.nothing.number, count: count)
    for (index, mapping) in made.enumerated() {
      let use = used(by: mapping, definitions, wanted: wanted(self, index), &calls)
      switch nodes[use] {
      case .nothing: continue
      case .record(let more) where more.count == count:
        for (number, other) in more.enumerated() { parts[number] = union(parts[number], other) }
      default: return Array(repeating: Use.all.number, count: count)
      }
    }
    return parts
  }

  /// Returns the union of two uses.
  private mutating func union(_ one: Int, _ other: Int) -> Int {
    guard one != other else { return one }
    switch (nodes[one], nodes[other]) {
    case (.nothing, _): return other
    case (_, .nothing): return one
    case (.record(let left), .record(let right)) where left.count == right.count:
      var parts: [Int] = []
      for (left, right) in zip(left, right) { parts.append(union(left, right)) }
      return add(.record(parts))
    case (.elements(let left), .elements(let right)):
      let inner = union(left, right)
      return add(.elements(inner))
    case (.values(let left), .values(let right)):
      let inner = union(left, right)
      return add(.values(inner))
    default: return Use.all.number
    }
  }
}

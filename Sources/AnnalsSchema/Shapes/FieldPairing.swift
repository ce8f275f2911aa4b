internal import AnnalsCoding

/// The fields of two records while they are paired, and what those of the wanted one are made of.
struct FieldPairing {
  let old: [ShapeGraph.Field]
  let new: [ShapeGraph.Field]
  /// The path of the record.
  let path: String
  /// How many fields the stored record has.
  let stored: Int
  private let isUpgrade: Bool
  private var made: [Mapping?]
  /// The older fields that live on.
  var used: Set<Int> = []
  /// The newer fields that nothing is known of, by number.
  var added: [Int] = []
  /// The newer fields that get a constant, by number.
  var constant: [Int] = []
  /// For older nested records the fields that left them, each by its number and how it is read back.
  var hoists: [Int: [Int: Mapping]] = [:]

  init(_ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], path: String, isUpgrade: Bool) {
    self.old = old
    self.new = new
    self.path = path
    self.isUpgrade = isUpgrade
    stored = isUpgrade ? old.count : new.count
    made = (isUpgrade ? new : old).map { _ in nil }
  }

  /// Says how the two fields that are one become each other.
  mutating func set(_ before: Int, _ number: Int, _ mapping: Mapping?) {
    made[isUpgrade ? number : before] = mapping.map {
      .field(isUpgrade ? before : number, of: stored, $0)
    }
  }

  /// Says what a newer field is made of.
  mutating func make(_ number: Int, _ mapping: Mapping?) {
    if isUpgrade { made[number] = mapping }
  }

  /// Says what an older field is made of.
  mutating func take(_ number: Int, _ mapping: Mapping?) {
    if !isUpgrade { made[number] = mapping }
  }

  /// What the fields of the wanted record are made of; `nil` where one of them needs a rule.
  var mappings: [Mapping]? { Self.all(made) }

  /// The mappings, where there is none missing.
  static func all(_ mappings: [Mapping?]) -> [Mapping]? {
    let known = mappings.compactMap { $0 }
    return known.count == mappings.count ? known : nil
  }
}

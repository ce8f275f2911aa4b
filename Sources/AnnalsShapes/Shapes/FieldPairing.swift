internal import AnnalsCoding

/// The fields of two records during their pairing, and the mappings for those of the wanted one.
struct FieldPairing {
  let old: [ShapeGraph.Field]
  let new: [ShapeGraph.Field]
  /// The path of the record.
  let path: String
  /// The number of fields of the stored record.
  let stored: Int
  private let isUpgrade: Bool
  private var made: [Mapping?]
  /// For each newer field, the number of the older one that it is.
  private let partners: [Int?]
  /// The older fields that have a counterpart.
  var used: Set<Int>
  /// The newer fields without a source, by number.
  var added: [Int] = []
  /// The newer fields that get a constant, by number.
  var constant: [Int] = []
  /// For each older nested record, the fields that left it, by number and with the mapping that reads them
  /// back.
  var hoists: [Int: [Int: Mapping]] = [:]

  init(
    _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], partners: [Int?], path: String, isUpgrade: Bool
  ) {
    self.old = old
    self.new = new
    self.partners = partners
    used = Set(partners.compactMap(\.self))
    self.path = path
    self.isUpgrade = isUpgrade
    stored = isUpgrade ? old.count : new.count
    made = (isUpgrade ? new : old).map { _ in nil }
  }

  /// Whether the fields with the ids of two personal fields are the same, as far as the shapes say: a rule
  /// may make the newer one of the older one if neither has a partner.
  func areSame(subjects before: String, _ after: String) -> Bool {
    let before = old.firstIndex { ExactText($0.name) == ExactText(before) }
    let after = new.firstIndex { ExactText($0.name) == ExactText(after) }
    let partner = after.flatMap { partners[$0] }
    return partner == before || partner == nil && !partners.contains(before)
  }

  /// Sets the mapping between two fields that are the same.
  mutating func set(_ before: Int, _ number: Int, _ mapping: Mapping?) {
    made[isUpgrade ? number : before] = mapping.map {
      .field(isUpgrade ? before : number, of: stored, $0)
    }
  }

  /// Sets the mapping for a newer field.
  mutating func make(_ number: Int, _ mapping: Mapping?) {
    if isUpgrade { made[number] = mapping }
  }

  /// Sets the mapping for an older field.
  mutating func take(_ number: Int, _ mapping: Mapping?) {
    if !isUpgrade { made[number] = mapping }
  }

  /// The mappings for the fields of the wanted record; `nil` if one of them needs a rule.
  var mappings: [Mapping]? { Self.all(made) }

  /// Returns the mappings if none is missing.
  static func all(_ mappings: [Mapping?]) -> [Mapping]? {
    let known = mappings.compactMap { $0 }
    return known.count == mappings.count ? known : nil
  }
}

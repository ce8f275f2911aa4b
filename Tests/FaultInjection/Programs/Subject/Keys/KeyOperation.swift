#if canImport(AnnalsKeys)
  import Annals
  import AnnalsTestSupport

  /// Events with personal fields.
  @Schema(1, 0, 0) enum PeopleV1 {
    @Record struct Named {
      var person: String
      @Field(personal: "person", erased: "nobody") var name: String
    }
  }

  enum PeoplePlan: SchemaMigrationPlan {
    static var stages: MigrationChain<PeopleV1, PeopleV1> {}
  }

  /// One operation of a workload with personal fields, as its seed and the state before it decide.
  enum KeyOperation: Equatable, Sendable {
    /// Appends an event with a person's name.
    case append(person: Int, name: String)
    /// Gives a person another key.
    case rotate(Int)
    /// Drops the keys of a person.
    case forget(Int)

    /// Returns the operation with a number.
    static func make(_ number: Int, seed: UInt64, after model: KeyModel) -> KeyOperation {
      var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
      let choice = Int.random(in: 0..<10, using: &random)
      let known = model.people.filter { !model.forgotten.contains($0) }
      if choice < 3, let person = known.randomElement(using: &random) { return .forget(person) }
      if choice < 5, let person = known.randomElement(using: &random) { return .rotate(person) }
      // A person who was forgotten does not come back.
      let person = Int.random(in: 0..<3, using: &random) == 0 ? known.randomElement(using: &random) : nil
      return .append(person: person ?? model.people.count, name: "name \(number) of seed \(seed)")
    }

    /// The id of a person.
    static func id(_ person: Int) -> String { "person \(person)" }

    /// The reason for which a person is forgotten.
    static func reason(_ person: Int) -> String { "request \(person)" }
  }

  /// The state of a store after such operations, in memory.
  struct KeyModel: Equatable, Sendable {
    /// The names in the order of their events, and whose they are.
    private(set) var names: [(person: Int, name: String)] = []
    /// The people who were forgotten.
    private(set) var forgotten: Set<Int> = []
    /// Everybody, by number.
    var people: [Int] { Set(names.map(\.person)).sorted() }

    mutating func apply(_ operation: KeyOperation) {
      switch operation {
      case .append(let person, let name): names.append((person, name))
      case .rotate: break
      case .forget(let person): forgotten.insert(person)
      }
    }

    /// The names as readers see them.
    var shown: [String] { names.map { forgotten.contains($0.person) ? "nobody" : $0.name } }

    static func == (left: KeyModel, right: KeyModel) -> Bool {
      left.shown == right.shown && left.forgotten == right.forgotten
    }
  }
#endif

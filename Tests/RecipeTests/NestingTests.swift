import Annals
import Testing

@Schema(1, 0, 0) enum LettersV1 {
  @Value struct Sender: Equatable { var name: String }
  @Record struct LetterSent: Equatable {
    var recipient: String
    var street: String
    var city: String
    var sender: Sender
  }
}

@Schema(1, 1, 0) enum LettersV2 {
  @Value struct Address: Equatable {
    var street: String
    var city: String
  }
  @Record struct LetterSent: Equatable {
    @Field(originalName: "recipient") var recipients: [String]
    var address: Address
    @Field("sender name", originalName: "name") var senderName: String
  }
}

enum LetterPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LettersV1, LettersV2> {
    MigrationStage.lightweight(fromVersion: LettersV1.self, toVersion: LettersV2.self) {
      Wrap(\.letterSent, \.recipients)
      Plunge(\.letterSent, into: \.address)
      Hoist(\.letterSent, \.senderName, from: "sender")
    }
  }
}

extension LettersV2.Event: Equatable {}

@Suite struct NestingTests {
  @Test
  func `a value becomes an array, fields become a part of the record, and a part's field one of the record`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write(
      [.letterSent(.init(recipient: "Ada", street: "Mill Lane", city: "Bath", sender: .init(name: "Bo")))],
      as: LettersV1.self)
    #expect(
      try place.read(LetterPlan.self) == [
        .letterSent(
          .init(
            recipients: ["Ada"], address: .init(street: "Mill Lane", city: "Bath"), senderName: "Bo"))
      ])
  }
}

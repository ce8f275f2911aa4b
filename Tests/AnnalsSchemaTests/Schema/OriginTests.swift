import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import AnnalsSchema

@Suite struct OriginTests {
  /// Computed by another implementation from the definition: position, path, salt and the id.
  // Promise P78.
  @Test(
    arguments: [
      (Position(1), [], "", "561B45B8-5EEC-8BFC-AE23-7EC4D8A70C46"),
      (Position(1), [], "line", "DF9557CE-01EA-8F67-9707-1B2C1CEA366C"),
      (Position(258), [1, 0], "\u{e9}", "71040255-D8D7-8560-8B70-4C26619D2DE3"),
      (Position(258), [1, 0], "e\u{301}", "1FE35A01-3044-83FA-8451-E25F5CC4B4F1"),
      (Position(258), [1], "\u{e9}", "E1C8A799-AC9C-82D5-9638-4BC4A36725D2"),
    ] as [(Position, [UInt32], String, String)])
  func `a derived id is made of log, position, path and salt`(
    position: Position, path: [UInt32], salt: String, id: String
  ) {
    #expect(Origin.sample(position: position, path: path).derivedID(salt).uuidString == id)
  }

  @Test func `a part differs from its entry in the path alone`() {
    let part = Origin.sample(position: 4, path: [1]).part(7)
    #expect(part.path == [1, 7])
    #expect(part.position == 4)
    #expect(part.stream == "order-1")
  }

  // Promise P79.
  @Test func `a shared id is made of log and salt alone, as of position 0`() {
    // Computed by another implementation.
    let id = "A7AF2A89-8312-887E-9031-143AAE0DA62A"
    for (position, path) in [(1, []), (258, [1, 0])] as [(Position, [UInt32])] {
      #expect(Origin.sample(position: position, path: path).sharedID("city:bath").uuidString == id)
    }
    #expect(Origin.sample(position: 1).derivedID("city:bath").uuidString != id)
  }
}

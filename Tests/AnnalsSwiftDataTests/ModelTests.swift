import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// The model that the framework compresses into a store.
struct ModelTests {
  /// Blocks as zlib writes them.
  @Test(
    arguments: [
      ("010300fcff616263", "abc"),
      ("4b4c4a0600", "abc"),
      ("4b4c4a4e1c45a388da0800", String(repeating: "abcabc", count: 100)),
    ] as [(String, String)])
  func `blocks that are stored and with fixed codes are decompressed`(digits: String, text: String) throws {
    let bytes = Self.bytes(digits)
    #expect(String(decoding: try Inflate.bytes(bytes, limit: 1_000), as: UTF8.self) == text)
  }

  @Test func `a block with codes of its own is decompressed`() throws {
    let text = (0..<200).map { "line \($0 * $0 % 97) of a text\n" }.joined()
    let bytes = Self.bytes(Self.dynamicBlock)
    #expect(bytes[0] & 7 == 5, "the last block, with codes of its own")
    #expect(String(decoding: try Inflate.bytes(bytes, limit: 100_000), as: UTF8.self) == text)
    #expect(throws: Inflate.Failure.tooLarge) { try Inflate.bytes(bytes, limit: text.utf8.count - 1) }
    for count in 0..<bytes.count {
      #expect(throws: Inflate.Failure.self) { try Inflate.bytes(Array(bytes[..<count]), limit: 100_000) }
    }
  }

  @Test(arguments: RunLength.seeds(3))
  func `changed bytes are refused or read, and never end the process`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let archive = ModelArchive.bytes(Self.zoo)
    let plist = try Inflate.bytes(archive, limit: 1 << 20)
    for (bytes, isArchive) in [(archive, true), (Self.bytes(Self.dynamicBlock), true), (plist, false)] {
      for _ in 0..<1_000 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        if isArchive { _ = try? Inflate.bytes(changed, limit: 1 << 20) }
        _ = try? PropertyListReader.value(changed)
        _ = ManagedModelReader.model(in: changed)
      }
    }
  }

  @Test func `a model is read with its types, relationships and superentities`() throws {
    let model = try #require(ManagedModelReader.model(in: ModelArchive.bytes(Self.zoo)))
    #expect(model.entities.keys.sorted() == ["Animal", "Größe", "Lion"])
    let lion = try #require(model.entities["Lion"])
    #expect(lion.superentity == "Animal")
    #expect(lion.attributes == [.init(name: "mane", type: 500, isOptional: true)])
    #expect(
      lion.relationships == [
        .init(
          name: "cubs", destination: "Lion", inverse: "parent", isToMany: true, isOptional: true,
          deleteRule: 1),
        .init(
          name: "parent", destination: "Lion", inverse: "cubs", isToMany: false, isOptional: true,
          deleteRule: 1),
      ])
    #expect(lion.propertyNames == ["cubs", "mane", "parent"])
  }

  @Test func `transient, external and kept attributes are read from their flags`() throws {
    let entity = ModelArchive.Entity(
      name: "Photo",
      attributes: [
        .init(name: "image", type: 1000, flags: 4), .init(name: "zoom", type: 500, isTransient: true),
        .init(name: "title", type: 700, flags: 16), .init(name: "both", type: 1000, flags: 20),
      ])
    let photo = try #require(ManagedModelReader.model(in: ModelArchive.bytes([entity]))?.entities["Photo"])
    #expect(photo.attributes.filter(\.isExternal).map(\.name) == ["both", "image"])
    #expect(photo.keptNames == ["both", "title"])
    #expect(photo.propertyNames == ["both", "image", "title"])
  }

  @Test func `other content is no model`() {
    for bytes in [[], [0], Array("bplist00".utf8), Array(repeating: 0xff, count: 100)] as [[UInt8]] {
      #expect(ManagedModelReader.model(in: bytes) == nil)
    }
  }

  @Test func `a change names the properties of its bits`() {
    let entity = ManagedModel.Entity(
      name: "T", superentity: nil,
      attributes: (0..<9).map { .init(name: "a\($0)", type: 300, isOptional: true) }, relationships: [])
    func changed(_ columns: [UInt8]?) -> [String]? {
      SourceChange(
        number: 1, kind: .update, entity: 1, key: 1, transaction: 1, columns: columns, tombstones: []
      ).changed(of: entity)
    }
    #expect(changed([0x80]) == ["a0"])
    #expect(changed([0x21, 0x80]) == ["a2", "a7", "a8"])
    #expect(changed([0, 0x40]) == nil, "there is no tenth property")
    #expect(changed(nil) == nil)
  }

  static let zoo: [ModelArchive.Entity] = [
    .init(name: "Animal", attributes: [.init(name: "name", type: 700)]),
    .init(
      name: "Lion", superentity: "Animal",
      attributes: [.init(name: "mane", type: 500, isOptional: true)],
      relationships: [
        .init(name: "cubs", destination: "Lion", inverse: "parent", isToMany: true),
        .init(name: "parent", destination: "Lion", inverse: "cubs"),
      ]),
    .init(name: "Größe"),
  ]

  static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
  }

  private static let dynamicBlock =
    "edd53b0e02310c04d09e53ec1148b29b648f430112d20a1a0a8e8f68f340c901d25afe8eed99e3feb82ee7e5795b2ecbebfa"
    + "7e9d8eaf21b486b535ec84e4d612b7d692f059c9932955e926518aa0b5b4961289222f95323ebb53d14e1150f26c44eda223"
    + "ec6ec63c446df4531994b1220856a2364a4506adaed885523de05381270b181d26fa09ce0e82605a69b03056d1270d580632"
    + "5bdd0e737f4eb1102f3115f730b03f77ec1d782bde9337e75d7abbb5ff017ec98f4f0a031f99fb9fedf7cb10b2884c930718"
    + "2bf6794f6e943f539f85656ad93c0da882cab177e58766a6844d099b1236256c4ad894b02961ff9afd00"
}

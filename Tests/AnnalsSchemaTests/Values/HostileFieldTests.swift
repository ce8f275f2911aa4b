import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct HostileFieldTests {
  /// Types whose readers cover every part of the code, as functions that read a value and write it again.
  static let readers: [@Sendable ([UInt8]) throws(CodingFailure) -> [UInt8]] = [
    again(Int.self), again(UInt8.self), again(Double.self), again(Float.self), again(Bool.self),
    again(String.self),
    again(Data.self), again([UInt8].self), again(Date.self), again(UUID.self), again(URL.self),
    again(Decimal.self),
    again([Int?].self), again(Set<String>.self), again([String: [Double]].self),
    again([Int8: Set<Data>].self),
    again(SetLogged.self), again(Formula.self), again(Folder.self), again([Tick].self), again(Opaque.self),
  ]

  static func again<Value: StoredValue>(_ type: Value.Type)
    -> @Sendable ([UInt8]) throws(CodingFailure) -> [UInt8]
  {
    { (bytes) throws(CodingFailure) in try written(try read(bytes, as: type)) }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random bytes are refused or come back as they were`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        // Heads of short items, so that more than the first one is looked at.
        UInt8.random(in: 0...7, using: &generator) << 5 | UInt8.random(in: 0...5, using: &generator)
      }
      if !bytes.isEmpty, Bool.random(using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      for reader in Self.readers {
        guard let back = try? reader(bytes) else { continue }
        #expect(hex(back) == hex(bytes))
      }
    }
  }

  @Test func `a list of empty records has an element for each byte, and no more`() throws {
    let count = 100_000
    let bytes = [0x9a, 0, 1, 0x86, 0xa0] + [UInt8](repeating: 0x80, count: count)
    #expect(try read(bytes, as: [Tick].self).count == count)
    #expect(throws: CodingFailure(.truncated, at: 5)) { try read(Array(bytes.dropLast()), as: [Tick].self) }
  }

  @Test func `room is made for eight bytes a byte at most`() {
    let bytes = [UInt8](repeating: 0xf6, count: 1000)
    let reader = FieldReader(bytes.span)
    #expect(reader.room(for: 1000, of: Int.self) == 1000)
    #expect(reader.room(for: 1000, of: (Int, Int, Int, Int).self) == 250)
    #expect(reader.room(for: 10, of: (Int, Int, Int, Int).self) == 10)
    #expect(reader.room(for: 1000, of: Void.self) == 1000)
  }

  @Test func `room is made for 64 KiB at most before anything is read`() {
    let bytes = [UInt8](repeating: 0xf6, count: 1_000_000)
    let reader = FieldReader(bytes.span)
    #expect(reader.room(for: 1_000_000, of: Int.self) == 8192)
    #expect(reader.room(for: 1_000_000, of: String.self) == 4096)
  }
}

package import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoder under test. It reads payloads, mostly those of a type, and writes them again.
package struct FieldDecoder: Sendable {
  /// Its name in findings.
  package let name: String
  /// Whether a payload is written exactly as it was read. Parts stored by name may lose keys.
  let isExact: Bool
  /// Reads a payload and writes the result.
  let again: @Sendable ([UInt8]) throws(CodingFailure) -> [UInt8]
  /// Payloads to start from, in addition to those of the corpus.
  let seeds: [[UInt8]]

  /// The decoder that does `again` with each payload.
  init(
    _ name: String, isExact: Bool, seeds: [[UInt8]],
    _ again: @escaping @Sendable ([UInt8]) throws(CodingFailure) -> [UInt8]
  ) {
    self.name = name
    self.isExact = isExact
    self.seeds = seeds
    self.again = again
  }

  /// The decoder of `type`; `isExact` is false if a part of it is stored by name.
  package init<Value: ShapedRecord>(_ type: Value.Type, isExact: Bool = true) {
    self.init("\(type)", isExact: isExact, seeds: Self.payloads(of: type)) {
      (payload) throws(CodingFailure) in
      let value = try Value.decode(payload: payload.span)
      var bytes: [UInt8] = []
      do throws(CodingFailure) {
        try value.encode(into: &bytes)
      } catch {
        // Every value that can be read must be writable. No failure of reading has an offset below zero.
        throw CodingFailure(error.reason, at: -1, detail: "written: \(error)")
      }
      return bytes
    }
  }

  /// The decoder of a record whose only field is a `type`.
  static func field<Value: StoredValue>(_ type: Value.Type) -> FieldDecoder {
    FieldDecoder(OneField<Value>.self)
  }

  /// Every decoder: a type is added by a line here.
  package static let all: [FieldDecoder] =
    [
      field(Int8.self), field(Int16.self), field(Int32.self), field(Int64.self), field(Int.self),
      field(UInt8.self), field(UInt16.self), field(UInt32.self), field(UInt64.self), field(UInt.self),
      field(Bool.self), field(Float.self), field(Double.self), field(String.self),
      field(Data.self), field([UInt8].self), field([[UInt8]].self),
      field(Date.self), field(UUID.self), field(URL.self), field(Decimal.self),
      field(Int?.self), field(String??.self), field([Int].self), field([Double?].self),
      field([[String]].self),
      field(Set<Int>.self), field(Set<String>.self), field(Set<Set<[UInt8]>>.self),
      field([String: Int].self), field([String: [String: Bool?]].self), field([Int: String].self),
      field([Decimal: Set<UUID>].self), field([[Double: Date]: Float].self),
      field(Formula.self), field([Tick].self), field([Everything?].self),
      FieldDecoder(Everything.self),
      FieldDecoder(Folder.self),
      FieldDecoder(PartByName.self, isExact: false),
    ] + generated
}

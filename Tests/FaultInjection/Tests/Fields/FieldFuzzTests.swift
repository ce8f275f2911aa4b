import Annals
import FaultPrograms
import Testing

struct FieldFuzzTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `changed payloads are refused or come back as they were`(seed: UInt64) throws {
    var fuzzing = try FieldFuzzRun(seed: seed)
    fuzzing.run(upTo: 50_000)
    #expect(fuzzing.findings == [])
    #expect(fuzzing.executions >= 50_000)
    // A run whose payloads are nearly all refused at their first byte would show nothing.
    #expect(fuzzing.accepted > 2500)
  }

  @Test func `every decoder reads some of the payloads at the start of a run`() throws {
    #expect(try FieldFuzzRun(seed: 1).unseeded == [])
  }

  @Test func `a decoder that writes otherwise than it read is found`() throws {
    var fuzzing = try FieldFuzzRun(seed: 1, decoders: [FieldDecoder(Sorting.self)])
    fuzzing.run(upTo: 10_000)
    #expect(fuzzing.findings.count >= 10)
  }

  @Test func `no payload takes memory out of proportion`() async {
    await #expect(processExitsWith: .success) {
      guard try FieldFuzz.run(25_000, seed: 5) else { throw Wrong() }
    }
  }

  @Test func `a decoder that takes memory out of proportion ends the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = try FieldFuzz.run(1000, seed: 5, decoders: [FieldDecoder(Greedy.self)])
    }
  }

  struct Wrong: Error {}

  /// A record that reserves as many elements as a number says.
  struct Greedy: ShapedRecord {
    static func shape(in types: inout ShapeTypes) -> ValueShape { types.record(Self.self) { _ in [] } }

    init(from reader: inout FieldReader) throws(CodingFailure) {
      try reader.begin(1)
      let count: UInt64 = try reader.field()
      var numbers: [UInt8] = []
      numbers.reserveCapacity(Int(min(count, 1 << 30)))
      reader.leave()
      throw CodingFailure(.refused, at: numbers.count)
    }

    func encode(into writer: inout FieldWriter) throws(CodingFailure) {}
  }

  /// A record that is written differently than it was read.
  struct Sorting: ShapedRecord {
    var numbers: [Int]

    static func shape(in types: inout ShapeTypes) -> ValueShape {
      types.record(Self.self) { types in [FieldShape("numbers", \Self.numbers, in: &types)] }
    }

    init(from reader: inout FieldReader) throws(CodingFailure) {
      try reader.begin(1)
      numbers = try reader.field()
      reader.leave()
    }

    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      try writer.begin(1)
      try writer.field(numbers.sorted())
      writer.leave()
    }
  }
}

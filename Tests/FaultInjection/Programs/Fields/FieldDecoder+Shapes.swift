import Annals

extension FieldDecoder {
  /// Converts payloads of one type into payloads of another. Every payload that the older type reads must
  /// become one that the newer type reads.
  static func converting<Stored: ShapedRecord, Wanted: ShapedRecord>(
    _ stored: Stored.Type, to wanted: Wanted.Type, _ direction: ShapeComparison.Direction = .upgrade
  ) -> FieldDecoder {
    let shapes = (stored.recordShape ?? RecordShape([]), wanted.recordShape ?? RecordShape([]))
    let conversion =
      ShapeComparison(from: shapes.0, to: shapes.1, direction: direction).conversion
    return FieldDecoder("\(stored) to \(wanted)", isExact: true, seeds: seeds(of: stored)) {
      (payload) throws(CodingFailure) in
      guard let conversion, !conversion.isSame else { throw finding("no conversion") }
      var converted: [UInt8] = []
      var refusal: CodingFailure?
      do throws(CodingFailure) { try conversion.apply(payload.span, to: &converted) } catch {
        refusal = error
      }
      guard refusal == nil || converted.isEmpty else { throw finding("bytes beside a failure") }
      if let refusal, !(0...payload.count).contains(refusal.offset) { throw refusal }
      // A conversion copies unchanged values without checking them, so the reader that follows must refuse
      // bad bytes.
      var unreadable: CodingFailure?
      do throws(CodingFailure) { _ = try Wanted.decode(payload: converted.span) } catch { unreadable = error }
      _ = try Stored.decode(payload: payload.span)
      if let refusal {
        // Only numbers that do not fit and missing cases may keep an older program from reading a newer
        // payload.
        throw direction == .downgrade ? refusal : finding("read but not converted: \(refusal)")
      }
      if let unreadable {
        // Where only the newer type allows a missing value, the reader of the older type must refuse it. The
        // offset is one in other bytes.
        throw direction == .downgrade
          ? CodingFailure(unreadable.reason, at: 0) : finding("converted but not read: \(unreadable)")
      }
      return payload
    }
  }

  /// The payloads that a conversion of `type` starts from: its samples, or converted samples of the older
  /// type.
  private static func seeds<Stored: ShapedRecord>(of type: Stored.Type) -> [[UInt8]] {
    guard type.samples.isEmpty, let older = Voyages.Older.recordShape, let shape = type.recordShape,
      let conversion = ShapeComparison(from: older, to: shape).conversion
    else { return payloads(of: type) }
    return payloads(of: Voyages.Older.self).compactMap { payload in
      var converted: [UInt8] = []
      do throws(CodingFailure) { try conversion.apply(payload.span, to: &converted) } catch { return nil }
      return converted
    }
  }

  /// Parses texts as shapes, and treats the valid ones like the opening of a store does.
  static let shapeText: FieldDecoder = {
    let shapes = [
      Shipment.recordShape, Ledger.recordShape, Manifest.recordShape, Voyages.Older.recordShape,
      Voyages.Newer.recordShape, OneField<Formula>.recordShape,
    ].compactMap { $0 }
    let seeds = shapes.map { Array($0.text.utf8) } + [Array(#"("a b\n": text?, b("é"): [{^0}: ^0])"#.utf8)]
    return FieldDecoder("the text of a shape", isExact: true, seeds: seeds) {
      (payload) throws(CodingFailure) in
      guard let text = String(validating: payload, as: UTF8.self) else {
        throw CodingFailure(.invalidText, at: 0)
      }
      let shape: RecordShape
      do throws(ShapeFailure) { shape = try RecordShape(parsing: text) } catch {
        throw CodingFailure(.refused, at: error.offset)
      }
      let isSound = shape.problems().isEmpty
      let comparison = ShapeComparison(from: shape, to: shape)
      guard !isSound || comparison.conversion?.isSame == true else {
        throw finding("a shape that is not the same as itself")
      }
      for other in shapes.prefix(5) {
        _ = ShapeComparison(from: shape, to: other)
        _ = ShapeComparison(from: shape, to: other, direction: .downgrade)
      }
      // Payloads are as hostile as the text. Reading and writing them may fail, but not trap.
      let names = NamedForm(shape)
      for payload in payloads {
        var output: [UInt8] = []
        do throws(CodingFailure) { try names.read(payload.span, to: &output) } catch { output = [] }
        do throws(CodingFailure) { try names.write(payload.span, to: &output) } catch { output = [] }
      }
      return Array(shape.text.utf8)
    }
  }()

  /// A map without keys, records of no and one field, and a nest of lists.
  private static let payloads: [[UInt8]] = [
    [0xa0], [0x80], [0x81, 0xf6], [0x81, 0x00], [UInt8](repeating: 0x81, count: 63) + [0x80],
  ]
}

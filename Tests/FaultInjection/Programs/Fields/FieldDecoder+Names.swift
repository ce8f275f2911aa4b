import Annals

extension FieldDecoder {
  /// Writes the payloads of `type` by name and reads them back, which must give the same bytes.
  static func naming<Value: ShapedRecord>(_ type: Value.Type) -> FieldDecoder {
    let names = NamedForm(type.recordShape ?? RecordShape([]))
    return FieldDecoder("\(type) named", isExact: true, seeds: payloads(of: type)) {
      (payload) throws(CodingFailure) in
      var named: [UInt8] = []
      var refusal: CodingFailure?
      do throws(CodingFailure) { try names.write(payload.span, to: &named) } catch { refusal = error }
      guard refusal == nil || named.isEmpty else { throw finding("bytes beside a failure") }
      if let refusal, !(0...payload.count).contains(refusal.offset) { throw refusal }
      // Parts that are stored by name are not checked, so this writes more payloads than the type reads.
      _ = try Value.decode(payload: payload.span)
      if let refusal { throw finding("read but not named: \(refusal)") }
      var back: [UInt8] = []
      do throws(CodingFailure) { try names.read(named.span, to: &back) } catch {
        throw finding("named but not read back: \(error)")
      }
      return back
    }
  }

  /// Reads payloads by name as ones of `type`, and writes them by name.
  static func reading<Value: ShapedRecord>(_ type: Value.Type) -> FieldDecoder {
    let names = NamedForm(type.recordShape ?? RecordShape([]))
    let seeds = payloads(of: type).map { payload in
      var named: [UInt8] = []
      do throws(CodingFailure) { try names.write(payload.span, to: &named) } catch { return [UInt8]() }
      return named
    }
    return FieldDecoder("\(type) by name", isExact: false, seeds: seeds) {
      (payload) throws(CodingFailure) in
      var stored: [UInt8] = []
      do throws(CodingFailure) { try names.read(payload.span, to: &stored) } catch {
        guard stored.isEmpty else { throw finding("bytes beside a failure") }
        throw error
      }
      let value: Value
      do throws(CodingFailure) { value = try Value.decode(payload: stored.span) } catch {
        // Only the type can refuse parts that are stored by name, and equal keys that are written
        // differently. The offset is one in other bytes, so it is dropped.
        throw CodingFailure(error.reason, at: 0)
      }
      var again: [UInt8] = []
      var named: [UInt8] = []
      do throws(CodingFailure) {
        try value.encode(into: &again)
        try names.write(again.span, to: &named)
      } catch {
        throw finding("read by name but not written: \(error)")
      }
      return named
    }
  }

  /// The payloads of the samples of `type`.
  static func payloads<Value: ShapedRecord>(of type: Value.Type) -> [[UInt8]] {
    type.samples.compactMap { sample in
      var payload: [UInt8] = []
      do throws(CodingFailure) { try sample.encode(into: &payload) } catch { return nil }
      return payload
    }
  }
}

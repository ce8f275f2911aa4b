import History
import Testing

@Suite struct `Lines of a history` {
  @Test func `an append that expects nothing says so`() throws {
    let line = HistoryLine(
      process: 2, type: .invoke, function: .append, key: "s/1", value: .asked(count: 3, expect: nil))
    let text = try line.text()
    #expect(
      text == #"{"f":"append","key":"s/1","process":2,"type":"invoke","value":{"count":3,"expect":null}}"#)
  }

  @Test(arguments: [
    #"{"f":"append","key":"s","process":0,"type":"invoke","value":{"count":3,"expect":7}}"#,
    #"{"f":"append","key":"s","process":0,"type":"info","value":{"count":3,"expect":null}}"#,
    #"{"f":"append","key":"s","process":0,"type":"ok","value":{"next":10}}"#,
    #"{"f":"append","key":"s","process":0,"type":"fail","value":{"actual":9}}"#,
    #"{"f":"read","key":"s","process":0,"type":"invoke","value":null}"#,
    #"{"f":"read","key":"s","process":0,"type":"ok","value":{"length":9}}"#,
    #"{"f":"read","key":"s","process":0,"type":"info","value":null}"#,
  ]) func `a line is read and written alike`(_ text: String) throws {
    let written = try HistoryLine(text).text()
    #expect(written == text)
  }

  @Test(arguments: [
    "", "{}", #"{"f":"append","key":"s","process":0,"type":"ok","value":null}"#,
    #"{"f":"append","key":"s","process":0,"type":"done","value":{"next":10}}"#,
    #"{"f":"append","key":"s","process":0,"type":"ok","value":{"length":10}}"#,
  ]) func `a line that says something else is refused`(_ text: String) {
    #expect(throws: DecodingError.self) { try HistoryLine(text) }
  }
}

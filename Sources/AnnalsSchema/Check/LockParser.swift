internal import AnnalsCoding
internal import AnnalsShapes

/// A parser for the text of a lock file, which may be damaged or edited: it throws and never traps.
package struct LockParser {
  private let lines: [Substring]
  /// The number of the next line.
  private var index = 0

  private init(_ lines: [Substring]) {
    self.lines = lines
  }

  /// Returns the lock in `bytes`. Lines may end with CRLF, as in some checkouts.
  package static func parse(_ bytes: [UInt8]) throws(LockFailure) -> PlanLock {
    var lines: [Substring] = []
    for (number, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      let line = line.last == 0x0d ? line.dropLast() : line
      guard let text = String(validating: line, as: UTF8.self) else {
        throw LockFailure(reason: .notText, line: number + 1)
      }
      lines.append(Substring(text))
    }
    // Text after the last line feed is not a line.
    if lines.last?.isEmpty == true { lines.removeLast() }
    var parser = LockParser(lines)
    let lock = try parser.lock()
    try parser.compare(lock)
    return lock
  }

  /// Checks that the text is canonical: text with the same content in another form was edited.
  private func compare(_ lock: PlanLock) throws(LockFailure) {
    let written = lock.text.split(separator: "\n")
    for (number, (line, canonical)) in zip(lines, written).enumerated()
    where ExactText(String(line)) != ExactText(String(canonical)) {
      throw LockFailure(reason: .notCanonical, line: number + 1)
    }
    guard lines.count == written.count else {
      throw LockFailure(reason: .notCanonical, line: min(lines.count, written.count) + 1)
    }
  }

  private func failure(_ reason: LockFailure.Reason) -> LockFailure {
    // The line that was just consumed.
    LockFailure(reason: reason, line: max(index, 1))
  }

  /// Consumes the next line if it begins with `word`, and returns the rest of it.
  private mutating func take(_ word: String) -> Substring? {
    guard index < lines.count else { return nil }
    let line = lines[index]
    guard line.utf8.starts(with: word.utf8) else { return nil }
    index += 1
    return Substring(line.utf8.dropFirst(word.utf8.count))
  }

  private mutating func expect(_ word: String) throws(LockFailure) -> Substring {
    guard let rest = take(word) else {
      throw LockFailure(reason: index < lines.count ? .unexpected : .truncated, line: index + 1)
    }
    return rest
  }

  private mutating func lock() throws(LockFailure) -> PlanLock {
    guard let form = take("annals plan lock ") else { throw LockFailure(reason: .foreign, line: 1) }
    guard (1...PlanLock.newestForm).contains(where: { form == "\($0)" }) else {
      guard let number = UInt64(form), number > UInt64(PlanLock.newestForm) else { throw failure(.foreign) }
      throw failure(.newer(String(form)))
    }
    var lock = PlanLock()
    while let text = take("version ") {
      let line = index
      let version = try version(text)
      if let last = lock.versions.last?.version, last >= version { throw failure(.disorder) }
      let records = try records()
      let stage = try stage()
      // Only the first version of the file has no stage: every other stage begins at the version above.
      guard stage?.from == lock.versions.last?.version else {
        throw LockFailure(reason: stage == nil ? .truncated : .stage, line: stage?.line ?? index)
      }
      lock.versions.append(.init(version: version, records: records, stage: stage, line: line))
    }
    guard index == lines.count else { throw LockFailure(reason: .unexpected, line: index + 1) }
    return lock
  }

  private func version(_ text: Substring) throws(LockFailure) -> SchemaVersion {
    guard let version = SchemaVersion(String(text)) else { throw failure(.unexpected) }
    return version
  }

  private mutating func records() throws(LockFailure) -> [PlanLock.Record] {
    var records: [PlanLock.Record] = []
    while let text = take("  record ") {
      var record = PlanLock.Record(name: try name(text), line: index)
      if let last = records.last, last.name >= record.name { throw failure(.disorder) }
      while let text = take("    formerly ") { record.formerNames.append(try name(text)) }
      while let text = take("    reserved ") { record.reservedNames.append(ExactText(unescaped(text))) }
      let form = try expect("    form ")
      if form != "by name" {
        do throws(ShapeFailure) { record.shape = StoredShape(try RecordShape(parsing: String(form))) } catch {
          throw failure(.form(error))
        }
        let fingerprint = try expect("    fingerprint ")
        guard [UInt8](hexadecimal: fingerprint) == record.shape?.fingerprint else {
          throw failure(.fingerprint)
        }
      }
      while let text = take("    unknown ") { record.unknownCases.append(ExactText(unescaped(text))) }
      let samples = try expect("    samples ")
      record.samples = try digest(samples)
      records.append(record)
    }
    return records
  }

  private mutating func stage() throws(LockFailure) -> PlanLock.Stage? {
    guard let from = take("  stage from ") else { return nil }
    var stage = PlanLock.Stage(from: try version(from), records: [], line: index)
    while let text = take("    takes ") {
      var record = PlanLock.StagedRecord(name: try name(text), line: index)
      if let last = stage.records.last, last.name >= record.name { throw failure(.disorder) }
      record.isRetained = try takeRetained()
      while let text = take("      constant ") { record.constants.append(ExactText(unescaped(text))) }
      let behaviour = try expect("      behaviour ")
      record.behaviour = try digest(behaviour)
      stage.records.append(record)
    }
    while let text = take("    retags ") {
      var record = PlanLock.Retag(name: try name(text), tags: [], line: index)
      if let last = stage.retags.last, last.name >= record.name { throw failure(.disorder) }
      while let text = take("      tag ") {
        let tag = try name(text)
        if let last = record.tags.last, last >= tag { throw failure(.disorder) }
        record.tags.append(tag)
      }
      stage.retags.append(record)
    }
    return stage
  }

  /// Consumes the next line if it says that a record is retained, and returns whether it does.
  private mutating func takeRetained() throws(LockFailure) -> Bool {
    guard let rest = take("      retained") else { return false }
    guard rest.isEmpty else { throw failure(.unexpected) }
    return true
  }

  private func digest(_ text: Substring) throws(LockFailure) -> SampleDigest? {
    if text == "-" { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), count > 0,
      let fingerprint = [UInt8](hexadecimal: parts[1]), fingerprint.count == SHA256.byteCount
    else { throw failure(.digest) }
    return SampleDigest(count: count, fingerprint: fingerprint)
  }

  private func name(_ text: Substring) throws(LockFailure) -> ExactText {
    let name = unescaped(text)
    guard NameRule.allows(name) else { throw failure(.name) }
    return ExactText(name)
  }

  /// Returns the name without its backslashes. The comparison with the canonical text detects wrong ones.
  private func unescaped(_ text: Substring) -> String {
    var name = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "\\"): isEscaped = true
      case (false, _): name.unicodeScalars.append(scalar)
      case (true, "n"): (name, isEscaped) = (name + "\n", false)
      case (true, "r"): (name, isEscaped) = (name + "\r", false)
      case (true, _):
        name.unicodeScalars.append(scalar)
        isEscaped = false
      }
    }
    return name
  }
}

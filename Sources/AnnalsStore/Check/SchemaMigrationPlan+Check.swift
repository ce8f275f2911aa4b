public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SchemaMigrationPlan {
  /// Checks that the plan is valid and that no released version has changed. A test of your program calls it
  /// in one line.
  ///
  /// ```swift
  /// @Test func `the plan holds together and released versions stay as they are`() throws {
  ///   try OrderPlan.check(lock: URL(filePath: #filePath).deletingLastPathComponent().appending(path:
  ///   "OrderPlan.lock"))
  /// }
  /// ```
  ///
  /// Keep the lock file in the repository. It records the shape of every record of every released version
  /// and, for each stage, the constants and a digest of the results for ``Record/samples``.
  ///
  /// When you release a version, run the test once with `ANNALS_RECORD=1` in the environment, and commit the
  /// additions. Recording adds versions, and digests where there were none; it never changes existing lines.
  /// Drafts are not in the file. Versions that leave the chain at its old end keep their lines, because names
  /// of fields stay reserved forever. You may add samples after the existing ones.
  ///
  /// The check cannot find a field that keeps its name and type but changes its meaning. Give such a field
  /// another name.
  ///
  /// - Parameters:
  ///   - lock: The lock file; without one only the plan is checked.
  ///   - recording: Whether to add missing versions to the file, as `ANNALS_RECORD=1` in the environment also
  ///     does. A missing file is created.
  ///   - compatibility: With `.full`, a change that older programs cannot read is a warning, else a note.
  /// - Returns: A description of each stage, the warnings and the notes.
  /// - Throws: ``AnnalsError`` with code `shapeChanged` if a released version has changed; `invalidPlan` with
  ///   all errors found, or if a released version is not in the file yet; `malformed` with the line at which
  ///   the file is damaged; `needsNewer` for a file of a later library; `cannotCreate`, `readOnly`,
  ///   `permission`, `diskFull` or `inputOutput` if the file cannot be read or written.
  /// - Complexity: O(records · versions), and the time that rules take for the samples. No store is opened.
  @discardableResult
  public static func check(
    lock: URL? = nil, recording: Bool = false, compatibility: PlanCheck.Compatibility = .backward
  ) throws(AnnalsError) -> PlanCheck {
    let isRecording = recording || ProcessInfo.processInfo.environment["ANNALS_RECORD"] == "1"
    return try check(lock.map { LockFile(url: $0) }, isRecording: isRecording, compatibility)
  }

  /// Checks the plan against a file, regardless of the environment.
  static func check(
    _ file: LockFile?, isRecording: Bool, _ compatibility: PlanCheck.Compatibility = .backward
  ) throws(AnnalsError) -> PlanCheck {
    let chain = stages
    let samples = PlanSamples(of: chain)
    var check = PlanCheck(
      Self.self, chain.outline, samples, compatibility, compilation: PlanCheck.failure(of: Self.self))
    guard let file else {
      try check.throwErrors()
      return check
    }
    let stored = try file.read()
    let lock = stored ?? PlanLock()
    let comparison = LockComparison(lock, with: chain.outline, samples)
    // First, because editing a released version makes the plan invalid in misleading ways.
    if let first = comparison.differences.first {
      let list =
        (comparison.differences.map { "line \($0.line): \($0.description)" } + check.errors.map(\.message))
      throw AnnalsError(
        .shapeChanged,
        "\(Self.self) changes what '\(file.name)' says was released:\(list.map { "\n- \($0)" }.joined())",
        details: AnnalsError.Details {
          $0.version = first.version
          $0.type = first.record
          $0.line = first.line
          $0.file = file.name
        })
    }
    for problem in lock.reuses(in: chain.outline) { check.add(.init(.error, problem.description)) }
    try check.throwErrors()
    guard isRecording else {
      guard comparison.unlocked.isEmpty else {
        let versions = comparison.unlocked.map(\.description).joined(separator: ", ")
        throw AnnalsError(
          .invalidPlan,
          "\(stored == nil ? "there is no lock file '\(file.name)' yet" : "'\(file.name)' does not have version \(versions) of \(Self.self) yet"): run the test once with ANNALS_RECORD=1 in the environment, or check(lock:recording: true), and commit the file; while a version may still change, declare it as .draft",
          details: AnnalsError.Details {
            $0.version = comparison.unlocked.first
            $0.file = file.name
          })
      }
      if comparison.extended.text != lock.text {
        check.add(
          .init(
            .note,
            "records have samples or unknown cases of which '\(file.name)' knows nothing yet: run the test once with ANNALS_RECORD=1 in the environment, and commit the file"
          ))
      }
      return check
    }
    // Written only if there is something new, so that the file's date shows its last change.
    if stored == nil || comparison.extended.text != lock.text {
      try file.write(comparison.extended)
      check.add(.init(.note, "'\(file.name)' has been extended: commit it"))
    }
    return check
  }
}

extension PlanCheck {
  /// Throws all errors as one.
  fileprivate func throwErrors() throws(AnnalsError) {
    guard !errors.isEmpty else { return }
    throw AnnalsError(
      .invalidPlan,
      "\(plan) does not hold together:\(errors.map { "\n- \($0.message)" }.joined())")
  }
}

extension PlanLock {
  /// Returns the fields of the plan whose names are reserved by versions or shapes that only the lock has.
  func reuses(in outline: ChainOutline) -> [PlanProblem] {
    guard let oldest = outline.schemas.first?.version else { return [] }
    let older = versions.filter { $0.version < oldest }.map { version in
      FieldHistory.Version(
        schema: nil,
        records: version.records.map { record in
          FieldHistory.Record(
            name: record.name, formerNames: record.formerNames, reservedNames: record.reservedNames,
            shape: record.shape, problem: nil)
        })
    }
    let known = FieldHistory(outline).problems()
    let history = FieldHistory(outline, after: older) { version, name in
      self[version]?.records.first { $0.name == name }?.shape
    }
    return history.problems().filter { !known.contains($0) }
  }
}

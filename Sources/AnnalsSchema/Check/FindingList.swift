internal import AnnalsCoding
internal import AnnalsShapes

/// The findings about a plan, collected from its outline.
struct FindingList {
  let outline: ChainOutline
  let stages: [PlanCheck.Stage]
  let compatibility: PlanCheck.Compatibility
  private(set) var findings: [PlanCheck.Finding] = []

  init(outline: ChainOutline, stages: [PlanCheck.Stage], compatibility: PlanCheck.Compatibility) {
    self.outline = outline
    self.stages = stages
    self.compatibility = compatibility
  }

  /// Collects all findings.
  ///
  /// - Parameters:
  ///   - samples: The samples of the records.
  ///   - compilation: Why the plan cannot be compiled, if it cannot.
  mutating func gather(_ samples: PlanSamples, _ compilation: AnnalsError?) {
    let problems = outline.problems()
    findings += problems.map { .init(.error, $0.description) }
    if problems.isEmpty, let compilation { findings.append(.init(.error, compilation.message)) }
    for failed in samples.unstorable {
      let schema = outline.schemas[failed.schema]
      findings.append(
        .init(
          .error,
          "a sample of '\(schema.records[failed.record].name.text)' of \(place(schema)) cannot be stored, for \(failed.failure): correct the record's samples"
        ))
    }
    noteUnshaped()
    for index in outline.stages.indices {
      doubtRenames(at: index)
      doubtOriginalNames(at: index)
      doubtUnknownCases(at: index)
      doubtSubjects(at: index)
      doubtVersion(at: index)
      noteContext(at: index)
      noteSamples(samples, at: index)
      listForwardBreaks(at: index)
    }
  }

  private func place(_ schema: SchemaOutline) -> String { PlanProblem.Schema(schema).description }

  private func step(_ index: Int) -> String {
    "the stage from \(place(outline.schemas[index])) to \(place(outline.schemas[index + 1]))"
  }

  /// Reports a removed field and a new one of its type, which may be one field or two.
  private mutating func doubtRenames(at index: Int) {
    for (record, crossing) in zip(outline.schemas[index].records, outline.crossings[index]) {
      guard case .converted(let target, let comparison) = crossing else { continue }
      let newer = outline.schemas[index + 1].records[target]
      for change in comparison.changes {
        guard case .possibleRename(let original) = change.kind else { continue }
        let old = change.field.sibling(original)
        findings.append(
          .init(
            .error,
            "in \(step(index)) record '\(record.name.text)' loses `\(old)` and gets `\(change.field)`, of the same type: if they are one field, write @Field(originalName: \"\(original)\") at it; if they are two, write Unrelated(\\.\(newer.caseName), old: \\.\(old), new: \\.\(change.field)) in the stage, and what is stored in the old one is not read any more"
          ))
      }
    }
  }

  /// Reports a choice that had a case for unknown ones and no longer has one.
  private mutating func doubtUnknownCases(at index: Int) {
    for (number, record) in outline.schemas[index].records.enumerated() {
      guard let target = outline.comparedRecord(to: number, at: index), let older = record.shape?.shape,
        let newer = outline.schemas[index + 1].records[target].shape?.shape
      else { continue }
      // Another case of the choice may now be the one for unknown cases.
      let kept = Set(newer.unknownCases.map { ExactText($0.text.sibling("")) })
      for path in older.unknownCases where !kept.contains(ExactText(path.text.sibling(""))) {
        let choice = path.text.split(separator: ".").dropLast().joined(separator: ".")
        guard newer.hasChoice(choice) else { continue }
        findings.append(
          .init(
            .warning,
            "in \(step(index)) `\(choice)` of record '\(record.name.text)' loses its @UnknownCase: programs of version \(outline.schemas[index + 1].version) stop at every case that a later version adds; write @UnknownCase at a case of it"
          ))
      }
    }
  }

  /// Reports fields whose values a drop of their person's key no longer reaches.
  private mutating func doubtSubjects(at index: Int) {
    for record in stages[index].records {
      for field in record.fields {
        guard case .subjectChanged(.some, _) = field.kind else { continue }
        findings.append(
          .init(.warning, "in \(step(index)), record '\(record.name)': \(field.explanation)"))
      }
    }
  }

  /// Reports original names in records that the stage does not convert.
  private mutating func doubtOriginalNames(at index: Int) {
    let (older, newer) = (outline.schemas[index], outline.schemas[index + 1])
    let converted = Set(
      outline.crossings[index].compactMap { crossing -> Int? in
        if case .converted(let target, _) = crossing { target } else { nil }
      })
    for (number, record) in newer.records.enumerated() where !converted.contains(number) {
      guard let shape = record.shape?.shape, !older.records.contains(where: { $0.type == record.type }) else {
        continue
      }
      // If an older record of the same name already has the original name, it belongs to an earlier stage.
      let known = older.records.filter { newer.index(following: $0.name) == number }
        .flatMap { $0.shape?.shape.fields ?? [] }
      let idle = shape.fields.filter { field in
        field.originalName != nil
          && !known.contains {
            ExactText($0.name) == ExactText(field.name)
              && $0.originalName.map { ExactText($0) } == field.originalName.map { ExactText($0) }
          }
      }
      let isRuled = outline.crossings[index].contains { $0.makes(number) }
      for field in idle {
        findings.append(
          .init(
            .warning,
            "in \(step(index)) the original name `\(field.originalName ?? "")` of `\(record.name.text).\(field.name)` does nothing, for \(isRuled ? "a rule makes the record" : "the record is new"): take the original name out, or the rule"
          ))
      }
    }
  }

  /// Reports a version against the convention: rules raise the major number, other changes the minor one.
  private mutating func doubtVersion(at index: Int) {
    let (older, newer) = (outline.schemas[index], outline.schemas[index + 1])
    let stage = outline.stages[index]
    let isCustom = !stage.rules.isEmpty || stage.hasContext
    if isCustom, older.version.major == newer.version.major, older.version < newer.version {
      findings.append(
        .init(
          .warning,
          "\(step(index)) has rules, and only the \(older.version.minor == newer.version.minor ? "patch" : "minor") number rises: by custom \(newer.name) would be \(older.version.major.addingReportingOverflow(1).partialValue).0.0"
        ))
    } else if !isCustom, older.version.major < newer.version.major {
      findings.append(
        .init(.note, "\(step(index)) has no rules, and by custom only the minor number would rise"))
    }
  }

  private mutating func noteContext(at index: Int) {
    guard outline.stages[index].hasContext else { return }
    findings.append(
      .init(
        .note,
        "\(step(index)) has a context, so that it activates at one position of the log: a store with older events has to be opened once with activating, and nobody appends older events after it"
      ))
  }

  /// Notes records that are stored by name: their changes cannot be detected.
  private mutating func noteUnshaped() {
    var seen: Set<ObjectIdentifier> = []
    for schema in outline.schemas {
      for record in schema.records where record.shape == nil && seen.insert(record.type).inserted {
        findings.append(
          .init(
            .note,
            "record '\(record.name.text)' of \(place(schema)) is stored by name and has no shape, so that its changes cannot be checked: write @Record before the struct, in a new version if this one has shipped"
          ))
      }
    }
  }

  private mutating func noteSamples(_ samples: PlanSamples, at index: Int) {
    let schema = outline.schemas[index]
    for (number, record) in schema.records.enumerated() {
      if let failure = samples.failure(stage: index, record: number) {
        findings.append(
          .init(
            .warning,
            "in \(step(index)) sample \(failure.sample + 1) of '\(record.name.text)' fails: \(failure.failure)"
          ))
      }
      let crossing = outline.crossings[index][number]
      guard case .rule = crossing, !crossing.givesNothing else { continue }
      if samples.payloads[index][number].isEmpty {
        findings.append(
          .init(
            .note,
            "record '\(record.name.text)' of \(place(schema)) has no samples, so that its rule in \(step(index)) cannot be tried: give it static var samples: [\(record.typeName)]"
          ))
      }
    }
  }

  /// Lists the records that programs of the older version cannot read.
  private mutating func listForwardBreaks(at index: Int) {
    let severity: PlanCheck.Finding.Severity = compatibility == .full ? .warning : .note
    for record in stages[index].records {
      switch record.outcome {
      case .upcast, .kept, .split:
        guard record.needsDowncast else { continue }
        findings.append(
          .init(
            severity,
            "in \(step(index)) a rule makes what '\(record.name)' becomes: programs of version \(stages[index].from) need a downcast to read it"
          ))
      default:
        for field in record.fields where field.isForwardBreaking {
          findings.append(
            .init(
              severity,
              "in \(step(index)) programs of version \(stages[index].from) read '\(record.newName ?? record.name)' of \(stages[index].to) with a limit, \(field.oldReadsNew): \(field.explanation)"
            ))
        }
      }
    }
  }
}

internal import CNATS

extension NATSConnection {
  /// Creates a stream for a log.
  ///
  /// Nothing happens if a stream with the same settings is there.
  ///
  /// - Parameters:
  ///   - name: The name of the log.
  ///   - identity: The text to store with the stream.
  ///   - replicas: The number of servers that keep it.
  func createStream(_ name: LogName, identity: String, replicas: Int) throws(NATSFailure) {
    try unsafe withContext { context throws(NATSFailure) in
      var code = jsErrCode(rawValue: 0)
      let status = unsafe name.stream.withCString { stream in
        unsafe name.subject.withCString { subject in
          unsafe identity.withCString { identity in
            var subjects: [UnsafePointer<CChar>?] = unsafe [subject]
            return unsafe subjects.withUnsafeMutableBufferPointer { subjects in
              var settings = unsafe jsStreamConfig()
              unsafe jsStreamConfig_Init(&settings)
              unsafe settings.Name = stream
              unsafe settings.Description = identity
              unsafe settings.Subjects = subjects.baseAddress
              unsafe settings.SubjectsLen = 1
              unsafe settings.Retention = js_LimitsPolicy
              unsafe settings.Storage = js_FileStorage
              unsafe settings.Discard = js_DiscardNew
              unsafe settings.Replicas = Int64(replicas)
              unsafe settings.Duplicates = 120 * 1_000_000_000
              // Single messages are erased; nothing else ever goes.
              unsafe settings.DenyPurge = true
              return unsafe js_AddStream(nil, context, &settings, nil, &code)
            }
          }
        }
      }
      try NATSFailure.check(status, code)
    }
  }

  /// Asks the leader of a stream about it.
  ///
  /// - Parameters:
  ///   - name: The name of the log.
  ///   - milliseconds: The longest time to wait.
  func stream(_ name: LogName, upTo milliseconds: Int64) throws(NATSFailure) -> StreamFacts {
    try unsafe withContext { context throws(NATSFailure) in
      let info = try unsafe Self.info(context, name, upTo: milliseconds, withRemoved: false)
      defer { unsafe jsStreamInfo_Destroy(info) }
      return unsafe Self.facts(info.pointee)
    }
  }

  /// Asks which messages of a stream were removed.
  ///
  /// - Returns: The first sequence that is there, and the removed ones after it.
  func removed(
    from name: LogName, upTo milliseconds: Int64
  ) throws(NATSFailure) -> (first: UInt64, last: UInt64, sequences: Set<UInt64>) {
    try unsafe withContext { context throws(NATSFailure) in
      let info = try unsafe Self.info(context, name, upTo: milliseconds, withRemoved: true)
      defer { unsafe jsStreamInfo_Destroy(info) }
      let state = unsafe info.pointee.State
      let sequences = unsafe UnsafeBufferPointer(start: state.Deleted, count: Int(state.DeletedLen))
      return unsafe (state.FirstSeq, state.LastSeq, Set(sequences))
    }
  }

  /// Overwrites a message and removes it.
  func erase(_ sequence: UInt64, from name: LogName, upTo milliseconds: Int64) throws(NATSFailure) {
    try unsafe withContext { context throws(NATSFailure) in
      var options = unsafe jsOptions()
      unsafe jsOptions_Init(&options)
      unsafe options.Wait = milliseconds
      var code = jsErrCode(rawValue: 0)
      let status = unsafe js_EraseMsg(context, name.stream, sequence, &options, &code)
      try NATSFailure.check(status, code)
    }
  }

  private static func info(
    _ context: OpaquePointer, _ name: LogName, upTo milliseconds: Int64, withRemoved: Bool
  ) throws(NATSFailure) -> UnsafeMutablePointer<jsStreamInfo> {
    var options = unsafe jsOptions()
    unsafe jsOptions_Init(&options)
    unsafe options.Wait = max(milliseconds, 1)
    unsafe options.Stream.Info.DeletedDetails = withRemoved
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(rawValue: 0)
    let status = unsafe js_GetStreamInfo(&info, context, name.stream, &options, &code)
    try NATSFailure.check(status, code)
    guard let info = unsafe info else { throw NATSFailure(.passing, "an empty answer") }
    return unsafe info
  }

  private static func facts(_ info: jsStreamInfo) -> StreamFacts {
    var facts = StreamFacts()
    let state = unsafe info.State
    unsafe facts.first = state.FirstSeq
    unsafe facts.last = state.LastSeq
    unsafe facts.removed = state.NumDeleted
    unsafe facts.bytes = state.Bytes
    unsafe facts.leader = (info.Cluster?.pointee.Leader).map { unsafe String(cString: $0) } ?? ""
    guard let settings = unsafe info.Config?.pointee else { return facts }
    unsafe facts.identity = settings.Description.map { unsafe String(cString: $0) } ?? ""
    let subjects = unsafe UnsafeBufferPointer(start: settings.Subjects, count: Int(settings.SubjectsLen))
    unsafe facts.subjects = subjects.compactMap { unsafe $0.map { unsafe String(cString: $0) } }
    unsafe facts.keepsUntilLimits = settings.Retention == js_LimitsPolicy
    unsafe facts.isInFiles = settings.Storage == js_FileStorage
    unsafe facts.refusesWhenFull = settings.Discard == js_DiscardNew
    facts.hasLimits = unsafe [
      settings.MaxMsgs, settings.MaxBytes, settings.MaxAge, settings.MaxMsgsPerSubject,
    ].contains { $0 > 0 }
    facts.hasSources = unsafe settings.Mirror != nil || settings.SourcesLen > 0
    unsafe facts.isSealed = settings.Sealed
    unsafe facts.answersPublishes = !settings.NoAck
    unsafe facts.replicas = Int(settings.Replicas)
    unsafe facts.recognition = settings.Duplicates
    return facts
  }
}

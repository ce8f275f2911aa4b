public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store for one test, in its own directory. The directory is removed with the last reference.
///
/// It is a real store on disk. Write events under old schema versions first, then open it with the current
/// plan.
///
/// ```swift
/// let place = try TestStore()
/// try await place.seed(WorkoutsV1.self) { call in
///   call.append([.bodyWeighed(.init(weight: 80))], to: "athlete-7")
/// }
/// let store = try place.open(plan: WorkoutPlan.self)
/// ```
public final class TestStore: Sendable {
  /// The directory to remove.
  private let directory: URL

  /// The URL of the store, which may not exist yet.
  public var url: URL { directory.appendingPathComponent("test.annals") }

  /// Creates a place without a store; the first seed or open creates it.
  ///
  /// - Throws: The error of the file system if the directory cannot be created.
  public init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("annals-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    // The error cannot be reported here, and leftover files are in the system's directory for temporary
    // files.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Appends events as a program of an older version does.
  ///
  /// Seed schemas in any order, so that a log mixes versions as users' logs do. No plan is needed.
  ///
  /// - Parameters:
  ///   - schema: The schema under which the events are stored.
  ///   - body: Collects the events to append, to one stream or several.
  /// - Returns: The positions of the events.
  /// - Throws: ``AnnalsError`` with the codes of an append.
  @discardableResult
  nonisolated(nonsending) public func seed<Schema: VersionedSchema>(
    _ schema: Schema.Type, _ body: (inout AppendCall<NewEvent<Schema.Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await EventStore<OneSchema<Schema>>(appendingTo: EventLog(at: url)).append(body)
  }

  /// Appends events by name and without a version, as a program does that has records but no schema versions
  /// yet.
  ///
  /// - Parameters:
  ///   - schema: The schema to which the program's records will be taken to belong.
  ///   - body: Collects the events to append, to one stream or several.
  /// - Returns: The positions of the events.
  /// - Throws: ``AnnalsError`` with the codes of an append.
  @discardableResult
  nonisolated(nonsending) public func seedUnversioned<Schema: VersionedSchema>(
    _ schema: Schema.Type, _ body: (inout AppendCall<NewEvent<Schema.Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await EventLog(at: url).appendUnversioned(schema, body)
  }

  /// Appends events without a schema version, as an import does, or a program before its first release with a
  /// plan.
  ///
  /// - Parameters:
  ///   - type: The name on disk of the record type.
  ///   - values: The fields of the events, oldest first: maps with text keys, which need not fit any schema.
  ///   - stream: The stream to extend.
  /// - Returns: The positions of the events.
  /// - Throws: ``AnnalsError`` with code `malformed` for a value that is not a map, or the errors of an
  ///   append.
  @discardableResult
  public func seedUnversioned(
    _ type: String, _ values: [CBOR], to stream: StreamName
  ) async throws(AnnalsError) -> Appended {
    try await seed(type, version: nil, values, to: stream)
  }

  /// Appends events by name under any version, whether or not they fit it, as a faulty program might.
  ///
  /// - Parameters:
  ///   - type: The name on disk of the record type.
  ///   - version: The schema version to store them under; `nil` for none.
  ///   - values: The fields of the events, oldest first: maps with text keys.
  ///   - stream: The stream to extend.
  /// - Returns: The positions of the events.
  /// - Throws: ``AnnalsError`` with code `malformed` for a value that is not a map, or the errors of an
  ///   append.
  @discardableResult
  public func seed(
    _ type: String, version: SchemaVersion?, _ values: [CBOR], to stream: StreamName
  ) async throws(AnnalsError) -> Appended {
    var entries: [NewEntry] = []
    for value in values {
      entries.append(NewEntry(type: type, version: version, payload: try Payload(value)))
    }
    return try await EventLog(at: url).append(entries, to: stream)
  }

  /// Opens the store with a plan, as a current program does.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - options: The options of the store.
  /// - Throws: ``AnnalsError`` with the codes of an open.
  public func open<Plan: SchemaMigrationPlan>(
    plan: Plan.Type, options: StoreOptions = StoreOptions()
  ) throws(AnnalsError) -> EventStore<Plan> {
    try EventStore(at: url, plan: plan, options: options)
  }

  /// Opens the store and activates a plan that has a `prepare`, adopts events without a version or moves
  /// streams.
  ///
  /// Passes that move streams leave entries unchanged at which a rule fails.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - fields: The names of undeclared fields that may be lost, as `TYPE.KEY`.
  /// - Throws: ``AnnalsError`` with the codes of an open.
  @discardableResult
  public func activate<Plan: SchemaMigrationPlan>(
    plan: Plan.Type, dropping fields: Set<String> = []
  ) throws(AnnalsError) -> EventStore<Plan> {
    var migration = MigrationOptions()
    migration.unreadable = .quarantine
    migration.dropFields = fields
    try EventStore<Plan>.moveStreams(at: url, migration)
    var options = StoreOptions()
    options.activating = true
    options.dropFields = fields
    return try open(plan: plan, options: options)
  }

  /// Runs the `verify` of each stage that has one over the events of the store, oldest stage first.
  ///
  /// The store is activated first, so that each `prepare` has run before.
  ///
  /// - Throws: ``VerificationFailure`` with the error of a `verify`, and ``AnnalsError`` if the store does
  ///   not open.
  public func verify<Plan: SchemaMigrationPlan>(plan: Plan.Type) throws {
    for verification in try activate(plan: plan).verifications() {
      do { try verification.run() } catch {
        throw VerificationFailure(from: verification.from, to: verification.to, underlying: error)
      }
    }
  }
}

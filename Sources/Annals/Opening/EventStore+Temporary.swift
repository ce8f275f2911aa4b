public import AnnalsCoding
public import AnnalsLog
public import AnnalsProjections
internal import AnnalsSchema
public import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension EventStore {
  /// Creates an empty store in a directory of its own, which is removed with the last reference to the store.
  ///
  /// It is a real store on disk, for previews and tests:
  ///
  /// ```swift
  /// let store = try EventStore.temporary(plan: WorkoutPlan.self)
  /// try await store.append([.setLogged(.init(exercise: "row", kilograms: 60, reps: 8))], to: "workout-1")
  /// ```
  ///
  /// The directory is in the system's folder for temporary files. Views, subscriptions and copies of the
  /// store count as references, as does ``log``. A process that is killed leaves the directory there.
  ///
  /// - Parameters:
  ///   - plan: The schema versions and the stages between them.
  ///   - options: The options of the open. Its durability is always relaxed.
  ///   - inline: The projections to fold in the transaction of each append.
  /// - Returns: The store.
  /// - Throws: As ``init(at:plan:options:inline:)``, and `cannotCreate` if the directory cannot be created.
  public static func temporary(
    plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) -> EventStore {
    let place = try TemporaryPlace()
    var options = options
    options.access = .readWrite
    options.creation = .always
    options.durability = .relaxed
    let store = try EventStore(at: place.url, plan: plan, options: options, inline: inline)
    store.log.core.attachments.attach(place)
    return store
  }
}

/// The directory of a temporary store. It is removed with the store's core, to which it is attached.
private final class TemporaryPlace: Sendable {
  private let directory: URL

  var url: URL { directory.appendingPathComponent("temporary.annals") }

  init() throws(AnnalsError) {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("annals-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw AnnalsError(
        .cannotCreate, "the directory '\(directory.path)' for a temporary store cannot be created",
        underlying: error)
    }
  }

  deinit {
    // A thread that ends at the same time may still create a file, so that the first attempt finds one more.
    for _ in 0..<3 where FileManager.default.fileExists(atPath: directory.path) {
      // The error cannot be reported here, and leftover files are in the system's folder for temporary files.
      try? FileManager.default.removeItem(at: directory)
    }
  }
}

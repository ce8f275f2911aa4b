internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
public import Observation

/// The newest result of a query, for a user interface.
///
/// ```swift
/// @State private var red = LiveQuery(RowQuery(Player.byTeam, .key("red")), in: view)
/// var body: some View { List(red.rows, id: \.id) { Text($0.name) } }
/// ```
///
/// It follows the view as long as it is held.
@MainActor @Observable public final class LiveQuery<Row: ProjectionRow> {
  /// The current rows; empty before the first result.
  public private(set) var rows: [Row] = []
  /// The error that has stopped it; `nil` while it follows. The rows stay unchanged.
  public private(set) var error: AnnalsError?
  /// Whether there is no result yet.
  public private(set) var isLoading = true

  @ObservationIgnored private let results: QueryResults<Row>
  @ObservationIgnored private var following: Following?

  /// Cancels its task when it is released.
  private final class Following: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
      self.task = task
    }

    deinit { task.cancel() }
  }

  /// Starts following a query of a view.
  public init<P: Projection>(_ query: RowQuery<Row>, in view: View<P>) {
    results = view.results(query)
    follow()
  }

  /// Starts again, after an error.
  public func reload() {
    isLoading = true
    error = nil
    follow()
  }

  private func follow() {
    let results = results
    following = Following(
      Task { [weak self] in
        do throws(AnnalsError) {
          for try await rows in results {
            // A task that was replaced may still get a result, which is older than that of the new one.
            if Task.isCancelled { return }
            self?.show(rows)
          }
        } catch {
          if !Task.isCancelled { self?.fail(error) }
        }
      })
  }

  private func show(_ rows: [Row]) {
    self.rows = rows
    isLoading = false
  }

  private func fail(_ error: AnnalsError) {
    self.error = error
    isLoading = false
  }
}

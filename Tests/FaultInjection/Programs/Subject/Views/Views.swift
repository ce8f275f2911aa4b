/// What a workload does to views.
package enum Views: Int, Sendable {
  /// Nothing.
  case none
  /// It opens one, raises its version twice and builds it anew once.
  case all
  /// It opens the last version of whatever is there, and builds it anew.
  case last
}

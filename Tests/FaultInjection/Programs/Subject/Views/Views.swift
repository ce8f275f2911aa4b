/// The actions of a workload on views.
package enum Views: Int, Sendable {
  /// None.
  case none
  /// It opens one, raises its version twice and rebuilds it once.
  case all
  /// It opens the last version of an existing view, and rebuilds it.
  case last
}

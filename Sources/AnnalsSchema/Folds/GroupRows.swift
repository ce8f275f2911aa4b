/// The rows of a stage's table of groups, before they are stored.
package struct GroupRows {
  /// A row for each group, and one for each entry that could not be read.
  package var rows: [ContextTable.Row] = []
  /// Whether a row is for an entry that could not be read. Its key has no path, because the parts of the
  /// entry are unknown. A library that does not know such rows would lose these parts.
  package var hasUnread = false

  package init(rows: [ContextTable.Row] = [], hasUnread: Bool = false) {
    self.rows = rows
    self.hasUnread = hasUnread
  }
}

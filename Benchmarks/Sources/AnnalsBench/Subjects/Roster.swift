/// Who is measured, Annals first.
enum Roster {
  /// Annals and its peers, in the order of the report.
  static let subjects: [any Subject.Type] = [AnnalsSubject.self, LMDBPeer.self]
  /// The peers, which Annals is compared with.
  static let peers = subjects.map { $0.name }.filter { $0 != AnnalsSubject.name }
}

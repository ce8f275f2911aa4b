/// The measured subjects, Annals first.
enum Roster {
  /// Annals and its peers, in the order of the report.
  static let subjects: [any Subject.Type] = {
    var subjects: [any Subject.Type] = [AnnalsSubject.self, LMDBPeer.self]
    #if HAS_SQLITE
      subjects.append(SQLitePeer.self)
    #endif
    return subjects
  }()

  /// The names of all that are measured.
  static var names: [String] { subjects.map { $0.name } + [PythonPeer.name] }
}

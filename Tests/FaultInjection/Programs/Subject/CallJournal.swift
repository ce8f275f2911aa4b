import Foundation

/// A file to which a process appends notes about its actions. Nothing that happens to the process can undo a
/// note.
///
/// The recorder of system calls records the notes as marks among the calls.
package struct CallJournal: Sendable {
  /// A line of the journal.
  package enum Note: Equatable, Sendable {
    /// The call is about to be made.
    case begin(Int)
    /// The call was answered.
    case done(Int)
    /// The call failed with the error of this code.
    case failed(Int, code: String)
    /// Opening failed with the error of this code.
    case refused(code: String)
    /// Reading failed with the error of this code.
    case unread(code: String)
    /// The notes in `text`. Other lines are left out.
    case read(Int)
    /// The view is about to be opened in this version.
    case folding(Int)

    /// Reads a line that ``line`` wrote.
    package init?(line: Substring) {
      let words = line.split(separator: " ").map(String.init)
      let number = words.count > 1 ? Int(words[1]) : nil
      switch (words.first, number) {
      case ("begin", let number?): self = .begin(number)
      case ("done", let number?): self = .done(number)
      case ("read", let number?): self = .read(number)
      case ("folding", let number?): self = .folding(number)
      case ("failed", let number?) where words.count == 3: self = .failed(number, code: words[2])
      case ("refused", _) where words.count == 2: self = .refused(code: words[1])
      case ("unread", _) where words.count == 2: self = .unread(code: words[1])
      default: return nil
      }
    }

    var line: String {
      switch self {
      case .begin(let call): "begin \(call)"
      case .done(let call): "done \(call)"
      case .failed(let call, let code): "failed \(call) \(code)"
      case .refused(let code): "refused \(code)"
      case .unread(let code): "unread \(code)"
      case .read(let count): "read \(count)"
      case .folding(let version): "folding \(version)"
      }
    }
  }

  private let handle: FileHandle

  /// Opens the journal at `path`, which exists.
  init(path: String) throws {
    handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
  }

  func note(_ note: Note) throws {
    try handle.write(contentsOf: Data((note.line + "\n").utf8))
  }

  /// The notes in `text`. Other lines are left out.
  package static func notes(in text: some StringProtocol) -> [Note] {
    text.split(separator: "\n").compactMap { Note(line: Substring($0)) }
  }
}

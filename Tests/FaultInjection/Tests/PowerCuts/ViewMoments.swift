import FaultPrograms
import Foundation

/// The moments of a recording that concern the files of views.
struct ViewMoments {
  /// A time in which changes to a file did not wait for the disk.
  struct Window {
    /// The moments from the mark that says so to its removal, or to the end of the recording.
    var moments: Range<Int>
    /// The commits in these moments.
    var commits: [Int]
  }

  /// The files with rows.
  private(set) var files: Set<Inode> = []
  /// These windows, in order.
  private(set) var unsynced: [Window] = []

  init(_ recording: Recording) {
    var names: [Inode: String] = [:]
    var begun: [(name: String, place: Int, commits: [Int])] = []
    for (place, operation) in recording.operations.enumerated() {
      switch operation {
      case .create(let inode, _, let name, false):
        names[inode] = name
        if name.hasPrefix("v-"), name.hasSuffix(".mdb") { files.insert(inode) }
      case .write(let inode, let offset, let bytes, _):
        let name = names[inode] ?? ""
        let stem = String(name.prefix { $0 != "." })
        if name.contains(".state") {
          let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
          if words.contains("unsynced") { begun.append((stem, place, [])) }
          if words.contains("synced"), let index = begun.firstIndex(where: { $0.name == stem }) {
            let window = begun.remove(at: index)
            unsynced.append(Window(moments: window.place..<place, commits: window.commits))
          }
        } else if files.contains(inode), offset < 2 * 4_096,
          let index = begun.firstIndex(where: { $0.name == stem })
        {
          // One of LMDB's two meta pages.
          begun[index].commits.append(place)
        }
      default: break
      }
    }
    for window in begun {
      let moments = window.place..<recording.operations.count
      unsynced.append(Window(moments: moments, commits: window.commits))
    }
  }
}

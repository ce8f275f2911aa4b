internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The bytes of an attribute with external storage, as its column has them.
///
/// A first byte of 1 says that the rest is the content. A first byte of 2 says that a file has it, and the
/// rest is the file's name, a UUID, with a final zero.
enum ExternalValue: Equatable {
  case content(ArraySlice<UInt8>)
  case file(String)

  /// Reads the bytes of a column; `nil` if they are in neither form.
  init?(_ bytes: [UInt8]) {
    switch bytes.first {
    case 1: self = .content(bytes.dropFirst())
    case 2:
      var rest = bytes.dropFirst()
      if rest.last == 0 { rest = rest.dropLast() }
      let name = String(decoding: rest, as: UTF8.self)
      // Nothing but an id is a name: a path would lead out of the folder.
      guard rest.count == 36, UUID(uuidString: name) != nil else { return nil }
      self = .file(name)
    default: return nil
    }
  }
}

/// The folder next to a file that has its external contents: `.default_SUPPORT/_EXTERNAL_DATA` for
/// `default.store`.
struct ExternalFolder {
  private let path: [UInt8]

  /// The folder of the file at `path`.
  init(of path: [UInt8]) {
    let slash = UInt8(ascii: "/")
    let folder = path.lastIndex(of: slash).map { path[...$0] } ?? []
    let name = path.lastIndex(of: slash).map { path[($0 + 1)...] } ?? path[...]
    let stem = name.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name
    self.path = folder + Array(".".utf8) + stem + Array("_SUPPORT/_EXTERNAL_DATA".utf8)
  }

  /// Returns the bytes of the path of an external content.
  func path(of name: String) -> [UInt8] { path + Array("/\(name)".utf8) }
}

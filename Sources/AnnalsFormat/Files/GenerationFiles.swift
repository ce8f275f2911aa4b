internal import AnnalsCoding

/// The names of a generation's files.
package enum GenerationFiles {
  /// The endings of the names, in the order in which a removal removes the files. The lease goes last: a
  /// program that waited for it checks that it still exists.
  package static let endings = [".mdb", ".mdb-lock", ".marks", ".state", ".lease"]

  /// Returns the name of a generation's file without its ending.
  package static func stem(_ number: UInt64) -> String {
    String(CurrentFile.fileName(generation: number).dropLast(4))
  }

  /// Returns the number of the generation that a file belongs to; `nil` for any other file.
  package static func number(ofFile name: String) -> UInt64? {
    guard let ending = endings.first(where: { name.hasSuffix($0) }), name.hasPrefix("log-") else {
      return nil
    }
    guard let number = UInt64(name.dropFirst(4).dropLast(ending.count)),
      (1...CurrentFile.maximumGeneration).contains(number), name == stem(number) + ending
    else { return nil }
    return number
  }
}

import Foundation

extension Disk {
  /// Makes the files and directories of an image in `url`, which is an empty directory.
  func write(_ image: [Inode: Node], to url: URL) throws {
    try write(image, root, to: url)
  }

  private func write(_ image: [Inode: Node], _ directory: Inode, to url: URL) throws {
    for (name, inode) in image[directory]?.names ?? [:] {
      guard let node = image[inode] else { continue }
      let path = url.appendingPathComponent(name)
      if node.isDirectory {
        try FileManager.default.createDirectory(
          at: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try write(image, inode, to: path)
      } else {
        // The library refuses files that others may write; a mask could widen the permissions.
        guard
          FileManager.default.createFile(
            atPath: path.path, contents: node.bytes, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
      }
    }
  }

  /// The names and bytes of the files in `url`. Lock files are as in memory, which no image holds.
  static func files(in url: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    guard let walk = FileManager.default.enumerator(atPath: url.path) else { return files }
    for case let name as String in walk {
      let path = url.appendingPathComponent(name).path
      let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      if kind == .typeDirectory { continue }
      files[name] = name.hasSuffix("lock") ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
    }
    return files
  }
}

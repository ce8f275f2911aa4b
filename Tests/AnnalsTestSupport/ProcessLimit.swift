import Foundation

/// A limit of this process, for tests that run in a process of their own.
package struct ProcessLimit: Sendable {
  #if canImport(Glibc)
    private let resource: __rlimit_resource_t
  #else
    private let resource: Int32
  #endif

  /// The length of files in bytes.
  package static let fileSize = ProcessLimit(resource: RLIMIT_FSIZE)
  /// The address space in bytes.
  package static let addressSpace = ProcessLimit(resource: RLIMIT_AS)
  /// The number of open descriptors.
  package static let descriptors = ProcessLimit(resource: RLIMIT_NOFILE)

  #if canImport(Glibc)
    private init(resource: __rlimit_resource) {
      self.resource = __rlimit_resource_t(resource.rawValue)
    }
  #else
    private init(resource: Int32) {
      self.resource = resource
    }
  #endif

  /// Sets the limit; `nil` sets it to the most that the system allows.
  ///
  /// - Returns: Whether the system accepted it.
  package func set(_ number: Int?) -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = number.map { rlim_t($0) } ?? limit.rlim_max
    return unsafe setrlimit(resource, &limit) == 0
  }

  /// The bytes of address space that this process uses.
  package static func addressSpaceInUse() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) * 4096
  }
}

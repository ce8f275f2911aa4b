import Foundation

/// A limit of this process, for tests that run in one of their own.
struct Limit {
  #if canImport(Glibc)
    private let resource: __rlimit_resource_t
  #else
    private let resource: Int32
  #endif

  /// The length of files in bytes.
  static let fileSize = Limit(resource: RLIMIT_FSIZE)
  /// The address space in bytes.
  static let addressSpace = Limit(resource: RLIMIT_AS)
  /// How many descriptors may be open.
  static let descriptors = Limit(resource: RLIMIT_NOFILE)

  #if canImport(Glibc)
    private init(resource: __rlimit_resource) {
      self.resource = __rlimit_resource_t(resource.rawValue)
    }
  #else
    private init(resource: Int32) {
      self.resource = resource
    }
  #endif

  /// Sets the limit, or takes it away.
  ///
  /// - Returns: Whether the system did it.
  func set(_ number: Int?) -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = number.map { rlim_t($0) } ?? limit.rlim_max
    return unsafe setrlimit(resource, &limit) == 0
  }

  /// The bytes of address space that this process has taken.
  static func addressSpaceInUse() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) * 4096
  }
}

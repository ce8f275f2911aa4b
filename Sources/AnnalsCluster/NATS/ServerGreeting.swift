internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The line with which a NATS server greets every client, before any encryption or password.
///
/// The library does not give its version to callers, so this connects once more and reads the line.
enum ServerGreeting {
  /// Reads the greeting of the server at `place`; `nil` if there is none within `milliseconds`.
  static func read(from place: ServerPlace, upTo milliseconds: Int32) -> ServerFacts? {
    var hints = unsafe addrinfo()
    // SOCK_STREAM, whose type in Swift differs between systems.
    unsafe hints.ai_socktype = 1
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(place.host, String(place.port), &hints, &found) == 0 else { return nil }
    defer { unsafe freeaddrinfo(found) }
    guard let address = unsafe found?.pointee else { return nil }
    let number = unsafe socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard number >= 0 else { return nil }
    defer { close(number) }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { return nil }
    let connected = unsafe connect(number, address.ai_addr, address.ai_addrlen)
    guard connected == 0 || errno == EINPROGRESS else { return nil }
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
    var line: [UInt8] = []
    while line.count < 1 << 16 {
      guard let bytes = next(number, until: end) else { return nil }
      line += bytes
      if let last = line.firstIndex(of: UInt8(ascii: "\n")) { return facts(line[..<last]) }
    }
    return nil
  }

  private static func next(_ number: Int32, until end: UInt64) -> [UInt8]? {
    let now = DispatchTime.now().uptimeNanoseconds
    guard now < end else { return nil }
    var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, Int32((end - now) / 1_000_000) + 1) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(number, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Reads the line `INFO {…}`.
  static func facts(_ line: ArraySlice<UInt8>) -> ServerFacts? {
    let word = Array("INFO ".utf8)
    guard line.starts(with: word) else { return nil }
    guard let info = try? JSONDecoder().decode(Info.self, from: Data(line.dropFirst(word.count))) else {
      return nil
    }
    return ServerFacts(
      name: info.server_name ?? "", version: info.version, hasJetStream: info.jetstream ?? false,
      longestMessage: info.max_payload ?? 0)
  }

  private struct Info: Decodable {
    let version: String
    let server_name: String?
    let jetstream: Bool?
    let max_payload: Int?
  }
}

import AnnalsCoding
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCluster

/// Encrypted connections and users.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct SecurityTests {
  private let directory: TemporaryDirectory
  private static let openssl = "/usr/bin/openssl"
  private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openssl)
  private static let accounts = URL(filePath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Accounts")

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func makeCertificate(_ name: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.openssl)
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
      directory.path("\(name).key"), "-out", directory.path("\(name).pem"),
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  private func file(_ name: String) -> URL { directory.url.appendingPathComponent(name) }

  private func log(
    _ servers: NATSServers, credentials: String? = nil, security: ClusterTLS? = nil
  ) throws -> JetStreamLog {
    try JetStreamLog(
      BrokerAddress(
        servers: servers.addresses, name: "orders", replicas: 1, credentials: credentials, security: security),
      creates: true)
  }

  private func log(_ servers: NATSServers, user: String, name: String) throws -> JetStreamLog {
    try JetStreamLog(
      BrokerAddress(
        servers: ["nats://\(user):right@127.0.0.1:\(servers.ports[0])"], name: name, replicas: 1,
        credentials: nil, security: nil),
      creates: true)
  }

  private func code(_ log: JetStreamLog) async -> AnnalsError.Code? {
    do throws(AnnalsError) {
      _ = try await log.publish([1], id: UUID(), within: .seconds(2))
      return nil
    } catch {
      return error.code
    }
  }

  @Test(.enabled(if: hasOpenSSL, "needs openssl to make certificates"))
  func `a log is used over an encrypted connection with certificates on both sides`() async throws {
    try makeCertificate("server")
    try makeCertificate("client")
    let servers = try NATSServers(
      1,
      extra: """
        tls {
          cert_file: "\(file("server.pem").path)"
          key_file: "\(file("server.key").path)"
          ca_file: "\(file("client.pem").path)"
          verify: true
        }
        """)
    let security = ClusterTLS(
      authorities: file("server.pem"), certificate: file("client.pem"), key: file("client.key"))
    let log = try log(servers, security: security)
    #expect(try await log.publish([1], id: UUID(), within: .seconds(20)) == 1)
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 1 }
    #expect(await log.greetings(within: .seconds(5)).count == 1)
    await log.close()

    // A server whose certificate nobody vouches for gets nothing.
    let stranger = try self.log(
      servers,
      security: ClusterTLS(
        authorities: file("client.pem"), certificate: file("client.pem"), key: file("client.key")))
    #expect(await code(stranger) != nil)
    await stranger.close()
    let plain = try self.log(servers)
    #expect(await code(plain) != nil)
    let anonymous = try self.log(servers, security: ClusterTLS(authorities: file("server.pem")))
    #expect(await code(anonymous) != nil)
    await plain.close()
    await anonymous.close()
    let last = try self.log(servers, security: security)
    #expect(try await last.last(within: .seconds(20)) == 1)
    await last.close()
  }

  @Test func `a user is known by a credentials file, and a program without one is refused`() async throws {
    let servers = try NATSServers(
      1, extra: String(contentsOf: Self.accounts.appendingPathComponent("accounts.conf"), encoding: .utf8))
    let credentials = Self.accounts.appendingPathComponent("user.creds").path
    let known = try log(servers, credentials: credentials)
    #expect(try await known.publish([1], id: UUID(), within: .seconds(20)) == 1)
    await known.close()
    let unknown = try log(servers)
    #expect(await code(unknown) == .permission)
    await unknown.close()
    #expect(throws: AnnalsError.self) { try log(servers, credentials: "/nonexistent/user.creds") }
  }

  @Test func `a user with the documented permissions has all that a machine needs, and reaches no other log`()
    async throws
  {
    let servers = try NATSServers(
      1,
      extra: """
        accounts {
          ORDERS: {
            jetstream: enabled
            users: [
              { user: annals, password: right, permissions: {
                publish: [ "annals.orders", "annals.orders.machines", "$JS.API.*.*.annals-orders",
                  "$JS.API.*.*.annals-orders.>", "$JS.API.*.*.*.annals-orders", "$JS.API.INFO",
                  "$JS.API.*.*.*.annals-orders.>", "$JS.FC.annals-orders.>", "_INBOX.>" ]
                subscribe: [ "annals.orders.machines", "_INBOX.>" ]
              } }
            ]
          }
          OTHERS: { jetstream: enabled, users: [ { user: other, password: right } ] }
        }
        """)
    let log = try self.log(servers, user: "annals", name: "orders")
    for number in 1...3 {
      #expect(try await log.publish([UInt8(number)], id: UUID(), within: .seconds(20)) == UInt64(number))
    }
    let all = Collected()
    let task = all.follow(log)
    defer { task.cancel() }
    try await waitUntil { all.count == 3 }
    try await log.erase(2)
    #expect(try await log.machines(within: .seconds(5), patience: .milliseconds(100)).isEmpty)
    let wrong = try self.log(servers, user: "annals", name: "others")
    #expect(await code(wrong) != nil)
    let other = try self.log(servers, user: "other", name: "orders")
    #expect(try await other.last(within: .seconds(20)) == 0)
    for log in [log, wrong, other] { await log.close() }
  }

  @Test func `a user and a password in an address are never in an error`() async throws {
    let servers = try NATSServers(1, extra: "authorization { user: annals, password: right }")
    let port = servers.ports[0]
    func log(_ password: String) throws -> JetStreamLog {
      try JetStreamLog(
        BrokerAddress(
          servers: ["nats://annals:\(password)@127.0.0.1:\(port)"], name: "orders", replicas: 1,
          credentials: nil, security: nil),
        creates: true)
    }
    let good = try log("right")
    #expect(try await good.publish([1], id: UUID(), within: .seconds(20)) == 1)
    await good.close()
    let bad = try log("hunter2")
    do throws(AnnalsError) {
      _ = try await bad.publish([1], id: UUID(), within: .seconds(5))
      Issue.record("published")
    } catch {
      #expect(error.code == .permission)
      #expect(!error.message.contains("hunter2"))
    }
    await bad.close()
  }
}

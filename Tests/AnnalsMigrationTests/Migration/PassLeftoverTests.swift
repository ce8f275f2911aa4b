import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// What an unfinished pass has left, from what two generations say of themselves.
@Suite struct PassLeftoverTests {
  private let pass = PassRow(id: UUID(), other: 5, plan: [UInt8](repeating: 0, count: 32), version: nil)

  private func leftover(
    _ state: StoreMeta.State, epoch: UInt64 = 0, predecessor: UInt64? = nil
  ) -> PassLeftover {
    PassLeftover(
      pass: pass, of: 4, epoch: 7,
      other: .init(
        state: state, epoch: epoch, predecessor: predecessor.map { PredecessorRow(generation: $0, last: 0) }))
  }

  @Test func `without a row there is no pass, regardless of other files`() {
    let other = PassLeftover.Other(state: .building(pass: pass.id), epoch: 0, predecessor: nil)
    #expect(PassLeftover(pass: nil, of: 4, epoch: 7, other: other) == .none)
  }

  @Test func `a row whose generation has no file is all that is left`() {
    #expect(PassLeftover(pass: pass, of: 4, epoch: 7, other: nil) == .row(pass))
  }

  @Test func `a generation that says it is built by this pass is the pass's`() {
    #expect(leftover(.building(pass: pass.id)) == .building(pass))
  }

  @Test func `a generation that another pass builds is left alone`() {
    #expect(leftover(.building(pass: UUID())) == .unknown(pass))
  }

  @Test(arguments: [StoreMeta.State.live, .appendsSuspended])
  func `a finished generation without a seal that leads to it is not in use`(state: StoreMeta.State) {
    #expect(leftover(state, epoch: 8, predecessor: 4) == .unswitched(pass))
  }

  @Test(arguments: [(7, 4), (9, 4), (8, 3), (8, nil)] as [(UInt64, UInt64?)])
  func `a live generation that does not follow this one is left alone`(epoch: UInt64, predecessor: UInt64?) {
    #expect(leftover(.live, epoch: epoch, predecessor: predecessor) == .unknown(pass))
  }

  @Test func `a sealed generation is none that a pass is building`() {
    #expect(leftover(.sealed(Seal(successor: 4, epoch: 9)), epoch: 8, predecessor: 4) == .unknown(pass))
  }
}

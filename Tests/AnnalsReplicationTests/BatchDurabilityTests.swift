import AnnalsCoding
import AnnalsLog
import Testing

/// How durable the commit of a batch is.
@Suite struct BatchDurabilityTests {
  private func batch(_ calls: [SequencedCall], _ durability: StoreOptions.Durability) -> SequencedBatch {
    SequencedBatch(calls, durability) { _ in
    } finish: { _, _, _ in
    }
  }

  @Test func `a batch without a call has the durability that it asks for`() {
    #expect(!batch([], .full).isRelaxed)
    #expect(batch([], .relaxed).isRelaxed)
    #expect(!batch([.plain(0)], .full).isRelaxed)
    #expect(batch([.plain(0)], .relaxed).isRelaxed)
  }

  @Test func `a batch is as durable as the strictest of its calls`() {
    let calls = [StoreOptions.Durability.relaxed, .full].map {
      SequencedCall.whole(GroupCall(AppendRequest(time: 1), $0))
    }
    #expect(batch([calls[0], .plain(0)], .relaxed).isRelaxed)
    #expect(!batch(calls, .relaxed).isRelaxed)
    #expect(!batch([calls[0]], .full).isRelaxed)
  }
}

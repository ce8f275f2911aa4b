import Annals

/// A log in memory: the tags that each event has before and after passes.
struct RetagModel {
  /// What an event says, in the words of its first version.
  enum Content: Equatable {
    case enrolled(String, Int)
    case left(String, Int)
    case planned([String], Int)
    case pinged(String)
  }

  struct Event: Equatable {
    var position: UInt64
    var content: Content
    /// The version that it is stored in.
    var version: Int
    var tags: Set<EventTag>
    /// Whether it is a stub.
    var isGone = false
  }

  var events: [Event] = []

  /// The tags of the events that queries can match.
  var tags: [UInt64: Set<EventTag>] {
    Dictionary(uniqueKeysWithValues: events.filter { !$0.isGone }.map { ($0.position, $0.tags) })
  }

  /// Returns the log after a pass to a version, and how many events have got other tags.
  func passed(to version: Int) -> (RetagModel, changed: UInt64) {
    var model = self
    var changed: UInt64 = 0
    for index in model.events.indices {
      let before = model.events[index]
      model.events[index].pass(to: version)
      if !model.events[index].isGone, model.events[index].tags != before.tags { changed += 1 }
    }
    return (model, changed)
  }
}

extension RetagModel.Event {
  fileprivate mutating func pass(to newest: Int) {
    guard !isGone else { return }
    if case .pinged = content { return }
    while version < newest {
      version += 1
      switch (content, version) {
      case (.enrolled(let course, let student), 2):
        replace(["course", "student"], [EventTag("course", course), EventTag("student", student)])
      case (.enrolled(_, let student), 3): replace(["student", "pupil"], [EventTag("pupil", student)])
      case (.planned(let courses, let student), 2):
        if courses.isEmpty { isGone = true }
        replace(
          ["course", "student"], courses.map { EventTag("course", $0) } + [EventTag("student", student)])
      default: break
      }
    }
  }

  private mutating func replace(_ names: Set<String>, _ new: [EventTag]) {
    tags = tags.filter { tag in
      !names.contains(String(tag.text.prefix { $0 != ":" }))
    }
    tags.formUnion(new)
  }
}

/// Random events, with tags that the call adds.
struct RetagSamples {
  static let courses = ["c1", "c2", "c3"]
  /// Some have names that rules compute.
  static let added: [EventTag] = [
    "term:1", "vip", "student:9", "pupil:9", "student", "course:c9", "studentx:1",
  ]
  static let all: [EventTag] =
    added + courses.map { EventTag("course", $0) } + (0..<4).map { EventTag("student", $0) }
    + (0..<4).map { EventTag("pupil", $0) }

  static func content(_ random: inout SeededGenerator) -> RetagModel.Content {
    let course = courses.randomElement(using: &random) ?? ""
    let student = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2: return .enrolled(course, student)
    case 3, 4: return .left(course, student)
    case 5, 6:
      return .planned(
        Array(courses.shuffled(using: &random).prefix(.random(in: 0...3, using: &random))), student)
    default: return .pinged(course)
    }
  }

  static func extra(_ random: inout SeededGenerator) -> [EventTag] {
    Array(added.shuffled(using: &random).prefix(.random(in: 0...2, using: &random)))
  }

  /// The event as the first release appends it.
  static func first(_ content: RetagModel.Content, _ extra: [EventTag]) -> NewEvent<PlainCoursesV1.Event> {
    switch content {
    case .enrolled(let course, let student):
      NewEvent(.enrolled(.init(course: course, student: student)), tags: extra)
    case .left(let course, let student):
      NewEvent(.left(.init(course: course, student: student)), tags: extra)
    case .planned(let courses, let student):
      NewEvent(.planned(.init(courses: courses, student: student)), tags: extra)
    case .pinged(let course): NewEvent(.pinged(.init(course: course)), tags: extra)
    }
  }

  /// The tags that the first release gives an event.
  static func firstTags(_ content: RetagModel.Content) -> [EventTag] {
    guard case .enrolled(let course, _) = content else { return [] }
    return [EventTag("course", course)]
  }

  /// An event of the second version: tags are declared by then.
  static func second(
    _ content: RetagModel.Content, _ extra: [EventTag]
  ) -> (NewEvent<RetaggedV2.Event>, tags: [EventTag])? {
    switch content {
    case .enrolled(let course, let student):
      (
        NewEvent(.enrolled(.init(course: course, student: student)), tags: extra),
        [EventTag("course", course), EventTag("student", student)]
      )
    case .left(let course, let student):
      (
        NewEvent(.left(.init(course: course, student: student)), tags: extra),
        [EventTag("course", course), EventTag("student", student)]
      )
    case .planned, .pinged: nil
    }
  }
}

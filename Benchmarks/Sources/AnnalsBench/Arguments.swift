/// What the command line asks for.
struct Arguments: Sendable {
  /// A command line that makes no sense.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = """
    usage: annals-bench [options]
      --list            name the scenarios and subjects, and measure nothing
      --only PREFIX     only scenarios whose name and parameters begin with PREFIX
      --subject NAME    only this subject
      --scale SCALE     modest (default; all scenarios in about two minutes) or full (the documented figures)
      --repeat N        repetitions of each scenario, the subjects in turns (default 3)
      --json FILE       also write one JSON object a line
      --directory DIR   an existing directory where the stores are made, and removed afterwards (default: the system's directory for temporary files)
      --help            this text
    """

  var isList = false
  var isHelp = false
  var prefix = ""
  var subject: String?
  var scale = Scale.modest
  var repetitions = 3
  var json: String?
  var directory: String?

  /// Reads the words behind the command's name.
  init(_ words: some Sequence<String>) throws(Failure) {
    var words = words.makeIterator()
    while let word = words.next() {
      func value() throws(Failure) -> String {
        guard let value = words.next() else { throw Failure(description: "\(word) needs a value") }
        return value
      }
      switch word {
      case "--list": isList = true
      case "--help": isHelp = true
      case "--only": prefix = try value()
      case "--subject":
        let name = try value()
        guard Roster.subjects.contains(where: { $0.name == name }) else {
          throw Failure(description: "there is no subject '\(name)'")
        }
        subject = name
      case "--scale":
        guard let scale = Scale(rawValue: try value()) else {
          throw Failure(description: "--scale is modest or full")
        }
        self.scale = scale
      case "--repeat":
        guard let count = Int(try value()), (1...1000).contains(count) else {
          throw Failure(description: "--repeat is a number from 1 to 1,000")
        }
        repetitions = count
      case "--json": json = try value()
      case "--directory": directory = try value()
      default: throw Failure(description: "'\(word)' is not known")
      }
    }
  }

  /// The subjects that are asked for.
  var subjects: [any Subject.Type] {
    Roster.subjects.filter { subject == nil || $0.name == subject }
  }

  /// The scenarios that are asked for; one whose whole title was given alone, though others begin with it.
  var scenarios: [any Scenario] {
    let matching = Catalogue.scenarios(scale).filter { $0.title.utf8.starts(with: prefix.utf8) }
    let exact = matching.filter { $0.title.utf8.elementsEqual(prefix.utf8) }
    return exact.isEmpty ? matching : exact
  }
}

import FaultPrograms
import Foundation

// The arguments are `subject VERB …`, `fields [executions] [seed]`, or a verb of the processes that tests
// kill.
let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "subject": exit(await Subject.run(words))
case "fields": FieldFuzz.main(words.dropFirst())
default: await FaultProgram.main(words)
}

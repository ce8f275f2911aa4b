import FaultSubject
import Foundation

exit(await Subject.run(CommandLine.arguments))

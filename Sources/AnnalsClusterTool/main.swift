import Annals
import AnnalsLog
import Foundation

do throws(AnnalsError) { try ProgramStart.reserveDescriptors() } catch {
  // Without them a file of the store could get the number of the output.
  exit(74)
}
// A closed output ends the command quietly, and a file at its limit is an error that is reported.
for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
exit(await ClusterCommand.run(CommandWord.ofProcess))

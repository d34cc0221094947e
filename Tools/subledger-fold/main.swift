import FactSegments
import Glibc
import Primitives

exit(FoldCommand.run(ProcessArguments.all.dropFirst()))

import type { TroupeError } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts'
import { printFailure } from '../reporter/failure.ts'

/** Says after what could be read of a run what is wrong with the rest; on stderr, so that what was printed stays lines of its kind. The answer is the exit code. */
export function tellDamage(damage: TroupeError | undefined, { terminal }: CommandContext): number {
  if (damage === undefined) return EXIT.completed
  printFailure(damage.failure, terminal, 'error')
  return exitCodeOfFailure(damage.failure)
}

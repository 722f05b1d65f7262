import type { TroupeError } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts'
import { printFailure } from '../reporter/failure.ts'

/** Prints the damage of a run on stderr. Returns the exit code. */
export function printDamage(damage: TroupeError | undefined, { terminal }: CommandContext): number {
  if (damage === undefined) return EXIT.completed
  printFailure(damage.failure, terminal, 'error')
  return exitCodeOfFailure(damage.failure)
}

import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../context.ts'

/** Says on stderr what a person should know of a server; secrets are hidden already. */
export function tellWarnings(warnings: readonly string[], { terminal }: CommandContext): void {
  for (const warning of warnings) terminal.stderr.write(`warning: ${plainText(warning)}\n`)
}

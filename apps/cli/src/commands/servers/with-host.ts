import type { Host } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { loadHost, type TeamOptions } from '../../team/load-host.ts'

/** The options of every `troupe servers` command. */
export interface ServersOptions extends TeamOptions {
  readonly json?: boolean
}

/** Loads a team, calls `work` and closes the team. Without paths, loads the working folder. */
export async function withHost<T>(
  paths: readonly string[],
  options: TeamOptions,
  context: CommandContext,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const host = await loadHost(paths.length === 0 ? ['.'] : paths, options, context)
  const forget = context.atExit(() => host.kill())
  try {
    return await work(host)
  } finally {
    await host.close()
    forget()
  }
}

/** Prints warnings about a server on stderr. Secrets must already be removed. */
export function printWarnings(warnings: readonly string[], { terminal }: CommandContext): void {
  for (const warning of warnings) terminal.stderr.write(`warning: ${plainText(warning)}\n`)
}

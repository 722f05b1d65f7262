import type { Host } from '@troupe/host'
import type { CommandContext } from '../../terminal/context.ts'
import { loadHost, type TeamOptions } from '../../team/load-host.ts'

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

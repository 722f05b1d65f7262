import { relative } from 'node:path'
import type { LockedServer } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { withHost, type ServersOptions } from './with-host.ts'

export interface LockCommandOptions extends ServersOptions {
  /** True to write nothing and exit with 2 if the file is out of date. */
  readonly check?: boolean
  /** Names of the servers to lock. Default: all. */
  readonly server?: readonly string[]
}

/**
 * Runs `troupe servers lock [paths…]`: writes the tools of the servers to troupe.lock. Returns 1 if a server
 * could not be reached.
 */
export function lockCommand(
  paths: readonly string[],
  options: LockCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { check = false, server: names } = options
  return withHost(paths, options, context, async (host) => {
    const { file, servers } = await host.servers.lock({
      write: !check,
      ...(names === undefined ? {} : { names }),
    })
    const shown = host.redact(servers)
    const text =
      options.json === true
        ? JSON.stringify({ file, written: !check, servers: shown }, null, 2)
        : [...shown.flatMap(linesOf), endLine(relative(context.cwd, file), check)].join('\n')
    context.terminal.stdout.write(`${text}\n`)
    if (servers.some(({ failure }) => failure !== undefined)) return EXIT.failed
    return check && servers.some(hasDrift) ? EXIT.usage : EXIT.completed
  })
}

function linesOf({ name, tools, failure, ...drift }: LockedServer): readonly string[] {
  if (failure !== undefined) return [`${plainText(name)}: ${plainText(failure.message)}`]
  const signs = { added: '+', changed: '~', removed: '-' } as const
  const changes = (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    drift[kind].map((tool) => `  ${signs[kind]} ${plainText(tool)}`),
  )
  return [`${plainText(name)}: ${tools} tools${changes.length === 0 ? ', as locked' : ''}`, ...changes]
}

function endLine(file: string, check: boolean): string {
  return check ? `Nothing was written to ${file}.` : `Wrote ${file}.`
}

function hasDrift({ added, changed, removed }: LockedServer): boolean {
  return added.length + changed.length + removed.length > 0
}

import { troupeError } from '@troupe/schema'
import type { Host } from '@troupe/host'
import type { CommandContext } from './context.ts'
import { parseSettings, parseVariables } from './option-values.ts'

/** The options that say which team is loaded and how. */
export interface TeamOptions {
  readonly agent?: string
  readonly card?: readonly string[]
  readonly agentCards?: readonly string[]
  readonly config?: string
  readonly root?: string
  readonly model?: string
  readonly set?: readonly string[]
  readonly env?: readonly string[]
  readonly envFile?: readonly string[]
}

/** Loads cards and their configuration. Bad cards are problems of the plan; throws for options and configuration that cannot be used. */
export async function loadHost(
  cards: readonly string[],
  options: TeamOptions,
  context: CommandContext,
): Promise<Host> {
  const extraCards = [...(options.card ?? []), ...(options.agentCards ?? [])]
  for (const card of [...cards, ...extraCards]) refuseAddress(card)
  const parsed = {
    envOverrides: parseVariables(options.env ?? []),
    set: parseSettings(options.set ?? []),
  }
  const { createHost } = await import('@troupe/host')
  const host = await createHost({
    cards,
    extraCards,
    ...parsed,
    envFiles: options.envFile ?? [],
    env: context.env,
    cwd: context.cwd,
    ...(context.home === undefined ? {} : { home: context.home }),
    ...(options.agent === undefined ? {} : { entry: options.agent }),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  if (hasCode(host)) context.beforeForeignCode()
  return host
}

function refuseAddress(card: string): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(card)) return
  throw troupeError('usage_invalid', `${card}: cards are not loaded from addresses yet.`, {
    fix: 'Save the card as a file, read it, and run it from there.',
  })
}

/** An agent brings functions or hooks of its own. */
function hasCode(host: Host): boolean {
  return host
    .plan()
    .agents.some(
      ({ name, runnable, functionTools, toolHooks }) =>
        functionTools.length + toolHooks.length > 0 ||
        (runnable && Object.keys(host.definition(name).loopHooks).length > 0),
    )
}

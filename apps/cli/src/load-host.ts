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
  const [{ createHost }, { createOverlay, createRedactor }] = await Promise.all([
    import('@troupe/host'),
    import('@troupe/env'),
  ])
  const { secrets } = context.terminal
  const given = [
    { origin: 'override', values: parsed.envOverrides },
    { origin: 'process', values: context.env },
  ]
  for (const layer of given) {
    const redactor = createRedactor(createOverlay([layer]).secrets())
    if (redactor !== undefined) secrets.add(redactor.redact)
  }
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
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  secrets.add(host.redact)
  return host
}

function refuseAddress(card: string): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(card)) return
  throw troupeError('usage_invalid', `${card}: cards are not loaded from addresses yet.`, {
    fix: 'Save the card as a file, read it, and run it from there.',
  })
}

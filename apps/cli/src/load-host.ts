import { isAbsolute, join } from 'node:path'
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
  readonly allowHttp?: boolean
  readonly allowPrivate?: boolean
}

/** Loads cards and their configuration. Bad cards are problems of the plan; throws for options and configuration that cannot be used. */
export async function loadHost(
  cards: readonly string[],
  options: TeamOptions,
  context: CommandContext,
): Promise<Host> {
  const extraCards = [...(options.card ?? []), ...(options.agentCards ?? [])]
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
    remote: { allowHttp: options.allowHttp === true, allowPrivate: options.allowPrivate === true },
    cwd: context.cwd,
    ...(context.home === undefined ? {} : { home: context.home }),
    ...stateFolderOf(context),
    ...(options.agent === undefined ? {} : { entry: options.agent }),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  secrets.add(host.redact)
  if (hasCode(host)) context.beforeForeignCode()
  return host
}

/** By the XDG base directories, the same on every system. */
function stateFolderOf({ env, home }: CommandContext): { readonly stateFolder?: string } {
  const base = env['XDG_STATE_HOME'] || (home === undefined ? undefined : join(home, '.local', 'state'))
  return base === undefined || !isAbsolute(base) ? {} : { stateFolder: join(base, 'troupe') }
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

import { dirname, join } from 'node:path'
import type { Host } from '@troupe/host'
import { errorMessage } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { SlackConfig, SlackState } from '@troupe/slack'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { reloadLine } from '../reporter/reload.ts'
import {
  openMemoryStore,
  openRunStore,
  stateFile,
  storeLocation,
  type StoreOptions,
} from '../run-store/open-store.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { waitForStop } from '../terminal/stop.ts'

export interface SlackOptions extends TeamOptions, StoreOptions {
  /** True to check the Slack configuration and exit. */
  readonly check?: boolean
  readonly quiet?: boolean
}

/** Runs `troupe slack [cards…]`: serves a team in Slack until stopped. Resolves with the exit code. */
export async function slackCommand(
  cards: readonly string[],
  options: SlackOptions,
  context: CommandContext,
): Promise<number> {
  const located = { ...options, paths: cards }
  const store = (await openRunStore(located, context)) ?? (await openMemoryStore(context))
  const host = await loadHost(cards.length === 0 ? ['.'] : cards, options, context, { store, isTraced: true })
  const forget = context.atExit(() => host.kill())
  try {
    printPlanProblems(host.plan(), options, context)
    const [{ readSlackConfig }, { readServerConfig }] = await Promise.all([
      import('@troupe/slack'),
      import('@troupe/server'),
    ])
    const config = readSlackConfig(host.settings('slack'), host.writtenSettings('slack'))
    const { publicUrl } = readServerConfig(host.settings('server'))
    if (options.check === true) return await check(config, context)
    await serve({ host, store, config, publicUrl, options: located }, context)
    return context.stop.exitCode ?? EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

async function check(config: SlackConfig, { terminal }: CommandContext): Promise<number> {
  const { checkSlack } = await import('@troupe/slack')
  const findings = await checkSlack(config)
  for (const { ok, text } of findings)
    terminal.stdout.write(plainText(`${ok ? 'ok     ' : 'problem'} ${text}`) + '\n')
  return findings.every(({ ok }) => ok) ? EXIT.completed : EXIT.failed
}

async function serve(
  {
    host,
    store,
    config,
    publicUrl,
    options,
  }: {
    readonly host: Host
    readonly store: RunStore
    readonly config: SlackConfig
    readonly publicUrl: string | undefined
    readonly options: SlackOptions
  },
  context: CommandContext,
): Promise<void> {
  const { terminal, clock, stop } = context
  const printLine = (line: string): void => {
    if (options.quiet !== true && !stop.silent) terminal.stderr.write(`${plainText(line)}\n`)
  }
  const state = await openState(options, context)
  try {
    const { createSlackApp } = await import('@troupe/slack')
    printLine('Connecting to Slack.')
    const onError = (thrown: unknown): void => printLine(`warning: ${errorMessage(thrown)}`)
    const pageUrl = publicUrl?.replace(/\/+$/u, '')
    const page = pageUrl === undefined ? {} : { pageUrl }
    const starting = createSlackApp({ host, store, state, config, clock, onError, ...page })
    // Slack may be unreachable indefinitely, so a stop of the program does not wait for it.
    const app = await Promise.race([starting, waitForStop(stop)])
    if (app === undefined) return
    if (options.watch === true)
      await host.watch({ onReload: (reload) => printLine(reloadLine(reload, context.cwd)) })
    for (const { name, team } of app.workspaces)
      terminal.stdout.write(plainText(`troupe is connected to ${name} (${team})`) + '\n')
    if (app.url !== undefined) terminal.stdout.write(`Slack sends its requests to ${app.url}\n`)
    await waitForStop(stop)
    await app.close()
  } finally {
    state.close()
  }
}

/**
 * Opens the state of the Slack app (requests and spending): beside the file of the run store, in the state
 * folder for a database, or in memory without a store.
 */
async function openState(options: SlackOptions, context: CommandContext): Promise<SlackState> {
  const { openSlackState } = await import('@troupe/slack')
  const runs = await storeLocation(options, context)
  const beside = runs === undefined ? undefined : join(dirname(runs.name), 'slack.db')
  const file = runs?.url === undefined ? beside : stateFile('slack.db', context)
  return openSlackState({ file, clock: context.clock, owner: context.identity })
}

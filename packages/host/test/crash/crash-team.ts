import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { kill, pid } from 'node:process'
import { systemClock } from '@troupe/core'
import type { Approver } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { openSqliteStore, type Failpoint, type SqliteStore } from '@troupe/store'
import { createHost, type Host } from '../../src/index.ts'
import { card } from '../support/open-team.ts'
import type { CrashProvider } from './crash-provider.ts'

/** Where a run that is killed leaves its traces: its team, its store, and what tools and persons did. */
export interface CrashSite {
  readonly folder: string
  /** It outlives the processes that are killed. */
  readonly provider: Pick<CrashProvider, 'baseURL' | 'paid'>
}

/** The root run of every crash. */
export const ROOT = 'run_root'

/** One line for each effect on the world: `pay run_root:1.3#1`. */
export const effectsFile = ({ folder }: CrashSite): string => join(folder, 'effects.txt')

const MODEL = 'openai/gpt-4o-mini'
const FILES = {
  'planner.md': card({
    name: 'Planner',
    model: MODEL,
    functionTools: ['tools.mjs:look', 'tools.mjs:stamp', 'tools.mjs:pay'],
    requiresApproval: ['stamp'],
    agents: ['Worker'],
  }),
  'worker.md': card({
    name: 'Worker',
    model: MODEL,
    functionTools: ['tools.mjs:look', 'tools.mjs:stamp'],
  }),
  'tools.mjs': `
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const tool = (name, effect) =>
  Object.assign(async (args, ctx) => {
    appendFileSync(new URL('effects.txt', import.meta.url), name + ' ' + ctx.idempotencyKey + '\\n')
    await wait(2)
    return name + ': yes'
  }, { description: name, effect })
export const look = tool('look', 'read')
export const stamp = tool('stamp', 'idempotent')
export const pay = tool('pay', 'once')
`,
}

/** Writes a planner with workers side by side, tools of all three effects, and a call that a person is asked for. Its models are behind HTTP. */
export function writeCrashTeam(folder: string): void {
  mkdirSync(folder)
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text)
}

/** The team of a site. */
export function openCrashTeam({ folder, provider }: CrashSite, store: RunStore): Promise<Host> {
  const { baseURL } = provider
  return createHost({
    cards: ['.'],
    config: { providers: { openai: { apiKey: 'sk-test', baseURL } } },
    cwd: folder,
    home: folder,
    store,
  })
}

/** Says yes, and leaves a trace of having been asked. */
export function consent(site: CrashSite): Approver {
  return ({ approvalId }) => {
    appendFileSync(effectsFile(site), `approve ${approvalId}\n`)
    return { decision: 'approved' }
  }
}

/** The store of a site, as this process opens it. */
export async function openCrashStore({ folder }: CrashSite, failpoint?: Failpoint): Promise<SqliteStore> {
  return openSqliteStore({
    path: join(folder, 'runs.db'),
    clock: systemClock,
    random: Math.random,
    writer: { token: crypto.randomUUID(), pid, host: hostname(), isAlive },
    ...(failpoint === undefined ? {} : { failpoint }),
  })
}

function isAlive(other: number): boolean {
  try {
    return kill(other, 0)
  } catch {
    // there is no such process
    return false
  }
}

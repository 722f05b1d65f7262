import { openSqliteStore } from '@troupe/store'
import type { ScriptPart } from '@troupe/testkit'
import { createHost } from '@troupe/host'
import { createSlackApp, openSlackState, readSlackConfig } from '../../src/index.ts'
import { SYSTEM_CLOCK } from '../support/system-clock.ts'
import { oneAgent } from '../support/teams.ts'

/** A process that serves one agent: `<folder> <api of Slack> <app token> <answer, or nothing: it never comes>`. */
const [folder = '', apiUrl = '', appToken = '', answer] = process.argv.slice(2)

const BEGUN: readonly ScriptPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta: 'I begin' },
]
const never = new Promise<void>(() => undefined)
const { cards, models } = oneAgent(() =>
  answer === undefined ? { parts: [...BEGUN, never] } : { text: answer },
)
const store = await openSqliteStore({
  path: `${folder}/runs.db`,
  clock: SYSTEM_CLOCK,
  random: Math.random,
  writer: { token: crypto.randomUUID(), pid: process.pid, host: 'here', isAlive },
})
const host = await createHost({
  cards,
  config: false,
  cwd: folder,
  store,
  models: Object.fromEntries(Object.entries(models).map(([name, model]) => [`test/${name}`, model])),
})
const state = await openSlackState({ file: `${folder}/slack.db`, clock: SYSTEM_CLOCK })
const config = readSlackConfig({ botToken: 'xoxb-acme-000000000000', appToken, apiUrl })
await createSlackApp({
  host,
  store,
  state,
  config,
  clock: SYSTEM_CLOCK,
  pauseMs: 5,
  onError: (thrown) => console.error(thrown),
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // there is none
    return false
  }
}

import { createHost } from '@troupe/host'
import { type ScriptedTeam, SYSTEM_CLOCK, toModelIds } from '@troupe/testkit/teams'
import { openSqliteStore } from '@troupe/store'
import { createSlackApp, openSlackState, readSlackConfig, type SlackApp } from '../../src/index.ts'

/** Serves a team in a fake Slack with files in a folder, as a process of its own does. */
export async function serveKept(
  { cards, models }: ScriptedTeam,
  {
    folder,
    apiUrl,
    appToken,
  }: { readonly folder: string; readonly apiUrl: string; readonly appToken: string },
): Promise<SlackApp> {
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
    models: toModelIds(models),
  })
  const state = await openSlackState({ file: `${folder}/slack.db`, clock: SYSTEM_CLOCK })
  const config = readSlackConfig({ botToken: 'xoxb-acme-000000000000', appToken, apiUrl })
  const onError = (thrown: unknown): void => console.error(thrown)
  return createSlackApp({ host, store, state, config, clock: SYSTEM_CLOCK, pauseMs: 5, onError })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // the process does not exist
    return false
  }
}

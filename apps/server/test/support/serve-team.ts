import { createHost, type Host, type HostOptions } from '@troupe/host'
import { defineAgent, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { leadAndClerks, SYSTEM_CLOCK, toModelIds, type ScriptedTeam } from '@troupe/testkit/teams'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { createServer, type AccessRecord, type ServerOptions, type TroupeServer } from '../../src/index.ts'

/** A team that is served for one test. */
export interface ServedTeam {
  readonly server: TroupeServer
  readonly url: string
  readonly host: Host
  readonly store: RunStore
  readonly records: readonly AccessRecord[]
  /** Errors outside of answers. */
  readonly errors: readonly unknown[]
}

export interface TeamToServe extends Partial<Omit<ServerOptions, 'host' | 'newId' | 'store'>> {
  readonly cards: readonly (string | AgentDefinition)[]
  /** Models by the name after `test/`. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  readonly hostOptions?: Partial<HostOptions>
  readonly store?: RunStore
}

/** Serves a team on a free port of this machine until the test ends. */
export async function serveTeam({
  cards,
  models = {},
  hostOptions = {},
  store = createMemoryStore({ clock: SYSTEM_CLOCK }),
  ...options
}: TeamToServe): Promise<ServedTeam> {
  const host = await createHost({
    cards,
    config: false,
    cwd: import.meta.dirname,
    store,
    models: toModelIds(models),
    ...hostOptions,
  })
  const records: AccessRecord[] = []
  const errors: unknown[] = []
  const server = await createServer({
    host,
    store,
    port: 0,
    clock: SYSTEM_CLOCK,
    newId: randomUUID,
    onAccess: (record) => void records.push(record),
    onError: (thrown) => void errors.push(thrown),
    ...options,
  })
  onTestFinished(async () => {
    void server.close()
    // the second call does not wait for runs that are still active
    await server.close()
    await host.close()
  })
  return { server, url: server.url, host, store, records, errors }
}

/** An agent that repeats its input. */
export const PARROT = defineAgent({
  name: 'Parrot',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})

/** Returns a lead that calls its clerk, and the models of both: the clerk answers `3`, the lead `There are 3.` in three pieces. */
export function leadAndClerk(): ScriptedTeam {
  return leadAndClerks(() => ({ text: '3' }), { tasks: ['count'], says: '' })
}

import { randomUUID } from 'node:crypto'
import { createHost, type Host } from '@troupe/host'
import { defineAgent, type Clock, type JsonObject } from '@troupe/schema'
import { createServer, type ServerOptions } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { inject, onTestFinished } from 'vitest'

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** A served team whose agent calls the tools that the message names. */
export interface ClerkTeam {
  readonly url: string
  readonly host: Host
  /** Starts a run of the clerk that calls these tools. Returns its id. */
  start(calls: readonly Call[], headers?: Readonly<Record<string, string>>): Promise<string>
}

interface Call {
  readonly tool: string
  readonly args: JsonObject
}

/** Serves an agent with the file and shell tools, which need approval, until the test ends. */
export async function serveClerk(options: Partial<ServerOptions> = {}): Promise<ClerkTeam> {
  const folder = await tempProject({ 'notes.md': '# Notes\nold\nlast\n' })
  const store = createMemoryStore({ clock: CLOCK })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Calls tools.',
    instruction: 'Call the tools that the message names.',
    model: 'test/clerk',
    runtimeTools: ['filesystem', 'shell'],
    default: true,
  })
  const model = scriptedModel((prompt) => {
    const last = prompt.at(-1)
    if (last?.role !== 'user') return { text: 'Done.' }
    const text = last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    // Models see the names of tools with an underscore.
    const calls = (JSON.parse(text) as Call[]).map(({ tool, args }) => ({
      tool: tool.replace('.', '_'),
      args,
    }))
    return { calls }
  })
  const host = await createHost({
    cards: [clerk],
    config: false,
    cwd: folder.path,
    store,
    models: { 'test/clerk': model },
  })
  const server = await createServer({
    host,
    store,
    port: 0,
    clock: CLOCK,
    newId: randomUUID,
    page: inject('page'),
    limits: { drainTimeout: 100 },
    ...options,
  })
  onTestFinished(async () => {
    await server.close()
    await host.close()
    await folder.remove()
  })
  const { url } = server
  return {
    url,
    host,
    async start(calls, headers = {}) {
      const response = await fetch(`${url}/api/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ q: JSON.stringify(calls) }),
      })
      return ((await response.json()) as { readonly runId: string }).runId
    },
  }
}

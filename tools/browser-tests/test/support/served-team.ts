import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHost, type Host } from '@troupe/host'
import type { Clock } from '@troupe/schema'
import { createServer, type ServerOptions, type TroupeServer } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { inject, onTestFinished } from 'vitest'

const TEAM = join(import.meta.dirname, '../../team')

/** The clock of this machine. */
export const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/** A model that answers with its prompt, which a scripted file cannot do. */
const MIRROR = scriptedModel(([first]) => ({
  text: first?.role === 'system' ? first.content : 'Nobody.',
}))

/** A value that no page may ever show. */
export const SECRET = 'shelf-7-of-the-archive'

/** A team that is served with its page until the test ends. */
export interface ServedTeam {
  readonly url: string
  readonly host: Host
  /** The folder of the card that can be edited. */
  readonly travel: TempProject
  /** Stops the server and starts another one at the same address, over the same store. */
  restart(): Promise<void>
}

/** Serves the team on a free port of this machine. */
export async function serveTeam(options: Partial<ServerOptions> = {}): Promise<ServedTeam> {
  const travel = await tempProject({ 'Travel.md': await readFile(join(TEAM, '../travel/Travel.md'), 'utf8') })
  const store = createMemoryStore({ clock: CLOCK, maxRoots: 2000 })
  const host = await createHost({
    cards: [TEAM, travel.path],
    config: join(TEAM, 'troupe.json'),
    cwd: TEAM,
    store,
    env: { ARCHIVE_KEY: SECRET },
    models: { 'test/mirror': MIRROR },
  })
  onTestFinished(() => travel.remove())
  return { ...(await serveHost({ host, store }, options)), travel }
}

/** Serves the agents of a host on a free port of this machine, until the test ends. */
export async function serveHost(
  { host, store }: { readonly host: Host; readonly store: ServerOptions['store'] },
  options: Partial<ServerOptions> = {},
): Promise<Omit<ServedTeam, 'travel'>> {
  const serve = (port: number): Promise<TroupeServer> =>
    createServer({
      host,
      store,
      port,
      clock: CLOCK,
      newId: randomUUID,
      page: inject('page'),
      limits: { drainTimeout: 100 },
      ...options,
    })
  let server = await serve(0)
  const { url } = server
  onTestFinished(() => end(server, host))
  const restart = async (): Promise<void> => {
    await server.close()
    server = await serve(Number(new URL(url).port))
  }
  return { url, host, restart }
}

async function end(server: TroupeServer, host: Host): Promise<void> {
  await server.close()
  await host.close()
}

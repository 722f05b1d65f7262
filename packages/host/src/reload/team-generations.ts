import { redactValues } from '@troupe/env'
import type { McpPool, McpServerRequest } from '@troupe/mcp'
import { toFailure, type TeamChanges } from '@troupe/schema'
import type { Generation } from '../generation.ts'
import { serverRequest } from '../prepare/lease-servers.ts'
import type { LoadedHost } from '../load-host.ts'
import { compareTeams } from './compare-teams.ts'
import { openWholeTeam, type WholeTeam } from './open-whole-team.ts'
import type { Reload } from './reload.ts'

/** The generations of one host: one is in force, and those before it last as long as their runs. */
export interface TeamGenerations {
  readonly current: Generation
  /** The team as it was read last, taken or not. */
  readonly seen: LoadedHost
  /** The team in force with changes, for one user; it ends when that one is out. */
  lend(changes: TeamChanges): { readonly generation: Generation; release(): void }
  /** Loads the team again. One reload at a time, in the order of the calls; what goes wrong with it is its value. Throws when all is ended. */
  reload(): Promise<Reload>
  /** Hides what any generation with users knows as a secret. */
  redact<T>(value: T): T
  /** Kills all commands, at once. */
  kill(): void
  /** Waits for a reload under way and ends every generation. */
  end(): Promise<void>
}

/** How generations are made. */
export interface GenerationMaker {
  /** Loads the team. */
  open(): Promise<Generation>
  /** The same team with changes; nothing is loaded. */
  change(base: Generation, changes: TeamChanges): Generation
}

/** Begins with the first generation. */
export function createTeamGenerations(
  first: Generation,
  { open, change, pool }: GenerationMaker & { readonly pool: McpPool },
): TeamGenerations {
  const live = new Set([first])
  let current = first
  let seen = first.loaded
  let isEnding = false
  let last: Promise<unknown> = Promise.resolve()

  function replace(next: Generation): void {
    const past = current
    live.add(next)
    current = next
    void pool.retain(serverRequests(next.loaded))
    void past.retire().then(() => live.delete(past))
  }

  async function reload(): Promise<Reload> {
    let whole: WholeTeam
    try {
      whole = await openWholeTeam(current.loaded, open)
    } catch (thrown) {
      return unread(thrown, current.loaded)
    }
    const { next, emptied } = whole
    seen = next.loaded
    const reload = compareTeams(current, next, emptied)
    if (reload.outcome === 'taken' && !isEnding) replace(next)
    else await next.end()
    return reload
  }

  return {
    get current() {
      return current
    },
    get seen() {
      return seen
    },
    lend: (changes) => {
      const generation = change(current, changes)
      live.add(generation)
      const release = generation.hold()
      void generation.retire().then(() => live.delete(generation))
      return { generation, release }
    },
    reload: () => {
      const next = last.then(reload)
      // whoever asked is told of a fault; the next one is not held up by it
      last = next.catch(() => undefined)
      return next
    },
    redact: (value) => {
      let hidden = value
      for (const { redactor } of live)
        if (redactor !== undefined) hidden = redactValues(hidden, redactor.redact)
      return hidden
    },
    kill: () => {
      for (const { loaded } of live) loaded.runtime.kill()
    },
    end: async () => {
      isEnding = true
      await last
      await Promise.all([...live].map((generation) => generation.end()))
    },
  }
}

/** Nothing of the edit is known but what kept it from being read. */
function unread(thrown: unknown, { plan }: LoadedHost): Reload {
  const { code, message, remediation } = toFailure(thrown)
  const problem = { severity: 'error', code, message, fix: remediation } as const
  return { outcome: 'kept', added: [], changed: [], removed: [], blocked: [], problems: [problem], plan }
}

/** The servers that sessions of a team would ask for. */
function serverRequests({ agents }: LoadedHost): readonly McpServerRequest[] {
  return [...agents.values()].flatMap(({ servers, environment }) =>
    servers.map((server) => serverRequest(server, { environment, principal: 'local' }).request),
  )
}

import type { CardFormats } from '@troupe/cards'
import { redactValues } from '@troupe/env'
import type { McpPool, McpServerRequest } from '@troupe/mcp'
import { toFailure } from '@troupe/schema'
import type { TeamOverrides } from '@troupe/schema/ports'
import type { LoadedTeam } from '../plan/load-team.ts'
import { serverRequest } from '../servers/lease-servers.ts'
import { compareTeams, type Reload } from './compare-teams.ts'
import { openStableTeam, type StableTeam } from './open-stable-team.ts'
import type { TeamSnapshot } from './team-snapshot.ts'

/** The team snapshots of one host. One is current; earlier ones live until their runs have ended. */
export interface TeamSnapshots {
  readonly current: TeamSnapshot
  /** The team as last loaded, even if it was rejected. */
  readonly lastLoaded: LoadedTeam
  /** Returns a snapshot of the team with changes, for one user. It ends when released. */
  withChanges(changes: TeamOverrides): { readonly snapshot: TeamSnapshot; release(): void }
  /**
   * Loads the team again. Reloads run one at a time in the order of the calls. Problems are part of the
   * result; rejects only if the host is closed.
   */
  reload(): Promise<Reload>
  /** Redacts the secrets of every snapshot in use. */
  redact<T>(value: T): T
  /** Kills all commands immediately. */
  kill(): void
  /** Waits for a reload in progress and ends all snapshots. */
  end(): Promise<void>
}

/** Creates team snapshots. */
export interface TeamSnapshotFactory {
  /** Loads the team. */
  open(): Promise<TeamSnapshot>
  /** Returns the same team with changes, without loading anything. */
  change(base: TeamSnapshot, changes: TeamOverrides): TeamSnapshot
}

export function createTeamSnapshots(
  first: TeamSnapshot,
  {
    open,
    change,
    pool,
    formats,
  }: TeamSnapshotFactory & { readonly pool: McpPool; readonly formats: CardFormats | undefined },
): TeamSnapshots {
  const live = new Set([first])
  let current = first
  let lastLoaded = first.loaded
  let isEnding = false
  let last: Promise<unknown> = Promise.resolve()

  function replace(next: TeamSnapshot): void {
    const past = current
    live.add(next)
    current = next
    void pool.retain(serverRequests(next.loaded))
    void past.retire().then(() => live.delete(past))
  }

  async function reload(): Promise<Reload> {
    let stable: StableTeam
    try {
      stable = await openStableTeam(current.loaded, open, formats)
    } catch (thrown) {
      return failedReload(thrown, current.loaded)
    }
    const { next, emptied } = stable
    lastLoaded = next.loaded
    const reload = compareTeams(current, next, emptied)
    if (reload.outcome === 'taken' && !isEnding) replace(next)
    else await next.end()
    return reload
  }

  return {
    get current() {
      return current
    },
    get lastLoaded() {
      return lastLoaded
    },
    withChanges: (changes) => {
      const snapshot = change(current, changes)
      live.add(snapshot)
      const release = snapshot.retain()
      void snapshot.retire().then(() => live.delete(snapshot))
      return { snapshot, release }
    },
    reload: () => {
      const next = last.then(reload)
      // The caller gets the error; the next reload must not fail with it.
      last = next.catch(() => undefined)
      return next
    },
    redact: (value) => {
      let redacted = value
      for (const { redactor } of live)
        if (redactor !== undefined) redacted = redactValues(redacted, redactor.redact)
      return redacted
    },
    kill: () => {
      for (const { loaded } of live) {
        loaded.runtime.kill()
        loaded.python.kill()
      }
    },
    end: async () => {
      isEnding = true
      await last
      await Promise.all([...live].map((snapshot) => snapshot.end()))
    },
  }
}

/** Returns the result for a team that could not be loaded at all. */
function failedReload(thrown: unknown, { plan }: LoadedTeam): Reload {
  const { code, message, remediation } = toFailure(thrown)
  const problem = { severity: 'error', code, message, fix: remediation } as const
  return { outcome: 'kept', added: [], changed: [], removed: [], blocked: [], problems: [problem], plan }
}

/** Returns the requests for all servers that sessions of the team would use. */
function serverRequests({ agents }: LoadedTeam): readonly McpServerRequest[] {
  return [...agents.values()].flatMap(({ servers, environment }) =>
    servers.map((server) => serverRequest(server, { environment, principal: 'local' }).request),
  )
}

/** Retains the current team snapshot, or one with changes, until `work` ends, regardless of reloads. */
export async function useTeam<T>(
  team: TeamSnapshots,
  work: (snapshot: TeamSnapshot) => Promise<T>,
  changes?: TeamOverrides,
): Promise<T> {
  const { current } = team
  const { snapshot, release } =
    changes === undefined ? { snapshot: current, release: current.retain() } : team.withChanges(changes)
  try {
    return await work(snapshot)
  } finally {
    release()
  }
}

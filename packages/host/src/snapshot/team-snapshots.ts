import { existsSync, statSync } from 'node:fs'
import { type CardFormats, readCards } from '@troupe/cards'
import { redactValues } from '@troupe/env'
import type { McpPool, McpServerRequest } from '@troupe/mcp'
import { toFailure } from '@troupe/schema'
import type { TeamOverrides } from '@troupe/schema/ports'
import type { LoadedTeam } from '../plan/load-team.ts'
import { serverRequest } from '../servers/lease-servers.ts'
import type { PlanProblem } from '../config/plan-problem.ts'
import { compareTeams, type Reload } from './compare-teams.ts'
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

/** A team that was loaded while none of the current cards was being written. */
interface StableTeam {
  readonly next: TeamSnapshot
  /**
   * Files that held cards and no longer do, with their problems. An agent is removed by deleting its file,
   * not by emptying it.
   */
  readonly emptied: ReadonlyMap<string, readonly PlanProblem[]>
}

/** Maximum number of attempts. */
const MAX_ATTEMPTS = 10

/**
 * Opens the team. Since a file may be empty while it is written, the team is opened again if a card is
 * missing but its file exists, until the file no longer changes.
 */
export async function openStableTeam(
  current: LoadedTeam,
  open: () => Promise<TeamSnapshot>,
  formats?: CardFormats,
): Promise<StableTeam> {
  let previous: ReadonlyMap<string, CardFileState> = new Map()
  for (let attempt = 1; ; attempt += 1) {
    const next = await open()
    const missing = new Map(
      missedCards(current, next.loaded).map((path) => [path, readFileState(path, formats)]),
    )
    const isStable = [...missing].every(([path, { stamp }]) => previous.get(path)?.stamp === stamp)
    if (isStable || attempt === MAX_ATTEMPTS) {
      const files = [...missing.keys()].map((path) => [path, previous.get(path)?.problems ?? []] as const)
      return { next, emptied: new Map(files.filter(([, problems]) => problems.length > 0)) }
    }
    previous = missing
    await next.end()
  }
}

interface CardFileState {
  /** Changes with the file; empty if there is no file. */
  readonly stamp: string
  /** Errors that explain why there is no card. Empty if there is one. */
  readonly problems: readonly PlanProblem[]
}

function readFileState(path: string, formats: CardFormats | undefined): CardFileState {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  const problems = readCards(path, formats === undefined ? {} : { formats }).flatMap((card) => card.problems)
  return {
    stamp: stats === undefined ? '' : `${stats.ino} ${stats.mtimeNs} ${stats.size}`,
    problems: problems.filter(({ severity }) => severity === 'error'),
  }
}

/** Returns existing files that held cards of the previous team but contribute none to the new one. */
function missedCards(before: LoadedTeam, after: LoadedTeam): readonly string[] {
  const present = new Set([
    ...after.plan.agents.map(({ file }) => file),
    ...after.broken.map(({ path }) => path),
  ])
  const cards = [...before.agents.values()].map(({ member }) => member.card)
  return cards.flatMap(({ path, dialect }) =>
    !present.has(path) && dialect !== undefined && existsSync(path) ? [path] : [],
  )
}

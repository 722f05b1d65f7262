import { withToolLock, type LoginStore, type McpPool } from '@troupe/mcp'
import { createInProcessExecutor, type InProcessExecutor, type SessionProvider } from '@troupe/registry'
import type { AgentDefinition, Clock } from '@troupe/schema'
import type { Redactor, TeamOverrides, TraceSettings, ValidateArguments } from '@troupe/schema/ports'
import { createFunctionWorkers } from '@troupe/tools'
import { isPoolable } from '../check/check-agent.ts'
import type { LineFiles } from '../code/load-code.ts'
import type { HostOptions } from '../config/host-options.ts'
import { findAgent, requireRunnable } from '../plan/find-agent.ts'
import { loadTeam, type LoadedTeam } from '../plan/load-team.ts'
import { createPreparer, type AgentPreparer } from '../prepare/prepare-agent.ts'
import { scriptTexts, type ModelSources } from '../prepare/resolve-models.ts'
import { createHostServers } from '../servers/create-host-servers.ts'
import type { HostServers } from '../servers/host-servers.ts'
import { lockFileIn, readLockFile } from '../servers/tool-lock.ts'

/** A loaded team with everything its runs are built from. A run uses the same snapshot until it ends. */
export interface TeamSnapshot {
  readonly id: string
  readonly loaded: LoadedTeam
  readonly models: ModelSources
  readonly preparer: AgentPreparer
  /** Starts root runs and child runs. */
  readonly executor: InProcessExecutor
  /** The pool of the host, with tools checked against the lock of the team. */
  readonly pool: McpPool
  readonly servers: HostServers
  readonly redactor: Redactor | undefined
  readonly telemetry: TraceSettings
  /** Returns how much of the runs of an agent is stored. */
  storeDetailOf(agent: string): AgentDefinition['store']
  /** Returns the path or address of the card of an agent. */
  locateCard(agent: string): string
  /** Counts a user of the snapshot. Returns a function that releases it; only the first call counts. */
  retain(): () => void
  /**
   * Ends the snapshot once all users have released it. Resolves when it has ended; further calls wait for the
   * same.
   */
  retire(): Promise<void>
  /** Ends the snapshot without waiting for its users. */
  end(): Promise<void>
}

/** Everything that the team snapshots of a host share. */
interface SharedParts {
  readonly pool: McpPool
  readonly clock: Clock
  /** Identifies this client to servers. */
  readonly client: { readonly name: string; readonly version: string }
  readonly logins: LoginStore | undefined
  readonly validate: ValidateArguments
  readonly sessionProvider: SessionProvider
  readonly lineFiles: LineFiles
}

/** Loads a team as a new snapshot. Rejects as `loadTeam` does. */
export async function openTeamSnapshot(
  id: string,
  { options, shared }: { readonly options: HostOptions; readonly shared: SharedParts },
): Promise<TeamSnapshot> {
  const workers = createFunctionWorkers()
  const loaded = await loadTeam(options, { lineFiles: shared.lineFiles, workers })
  const { config, folder } = loaded.config
  const models = {
    own: options.models ?? {},
    providers: config.providers,
    packageFolder: folder,
    scripts: scriptTexts(loaded.agents.values()),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  }
  const lockFile = lockFileIn(folder)
  const pool = withToolLock(shared.pool, {
    lock: once(() => readLockFile(lockFile)),
    frozen: options.frozen ?? config.toolLock === 'frozen',
  })
  const end = async (): Promise<void> => {
    await Promise.all([workers.close(), loaded.runtime.close(), loaded.python.close()])
  }
  return createTeamSnapshot(id, { loaded, models, pool, end }, shared)
}

/**
 * Creates a snapshot with changes to its cards. It shares everything loaded and retains the base snapshot
 * until it ends.
 */
export function changeTeamSnapshot(
  id: string,
  base: TeamSnapshot,
  { changes, shared }: { readonly changes: TeamOverrides; readonly shared: SharedParts },
): TeamSnapshot {
  const { pool, models: known } = base
  const loaded = base.loaded.withChanges(changes)
  const models = { ...known, scripts: scriptTexts(loaded.agents.values(), known.scripts) }
  const release = base.retain()
  return createTeamSnapshot(id, { loaded, models, pool, end: async () => release() }, shared)
}

/** Builds a snapshot from a loaded team. `end` releases what was opened for it. */
function createTeamSnapshot(
  id: string,
  parts: Pick<TeamSnapshot, 'loaded' | 'models' | 'pool' | 'end'>,
  shared: SharedParts,
): TeamSnapshot {
  const { loaded, models, pool } = parts
  const { sessionProvider, validate } = shared
  const { redactor } = loaded
  const preparer = createPreparer({
    pool,
    validate,
    models,
    definition: (name) => loaded.catalogue.get(name),
    agent: (name) => loaded.agents.get(name),
    redactor,
  })
  const end = async (): Promise<void> => {
    await Promise.all([sessionProvider.retire?.(id), parts.end()])
  }
  return {
    id,
    loaded,
    models,
    preparer,
    executor: createExecutor(loaded, { id, preparer, sessionProvider }),
    pool,
    servers: createHostServers(loaded, { ...shared, lockFile: lockFileIn(loaded.config.folder) }),
    redactor,
    telemetry: loaded.config.config.telemetry ?? {},
    storeDetailOf: loaded.storeDetailOf,
    locateCard: (name) => locateCard(loaded, name),
    ...createUserCount(end),
  }
}

/** Returns the path or address of the card of an agent; for an agent from code, its name. */
function locateCard({ agents }: LoadedTeam, name: string): string {
  const member = agents.get(name)?.member
  if (member === undefined || member.definition.source.kind === 'code') return `code:${name}`
  return member.card.address ?? member.card.path
}

function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => (cached ??= { value: make() }).value
}

/** Counts users and calls `close` after the last one, once retired. */
function createUserCount(close: () => Promise<void>): Pick<TeamSnapshot, 'retain' | 'retire' | 'end'> {
  const ended = Promise.withResolvers<void>()
  let users = 0
  let isRetired = false
  let ending: Promise<void> | undefined
  const end = (): Promise<void> => {
    ending ??= close()
    ended.resolve(ending)
    return ending
  }
  return {
    retain: () => {
      users += 1
      let isRetained = true
      return () => {
        if (!isRetained) return
        isRetained = false
        users -= 1
        if (isRetired && users === 0) void end()
      }
    },
    retire: () => {
      isRetired = true
      return users === 0 ? end() : ended.promise
    },
    end,
  }
}

/** Creates the executor of a team. A run of an agent with an error fails with that error. */
function createExecutor(
  loaded: LoadedTeam,
  {
    id,
    preparer,
    sessionProvider,
  }: { readonly id: string; readonly preparer: AgentPreparer; readonly sessionProvider: SessionProvider },
): InProcessExecutor {
  return createInProcessExecutor({
    catalogue: loaded.catalogue,
    prepare: async (definition, request, options) => {
      const agent = findAgent(loaded, definition.name)
      requireRunnable(loaded, agent)
      const { principal } = request
      if (!isPoolable(agent.servers)) return preparer.prepare(agent, request, { ...options, principal })
      const prepared = await sessionProvider.acquire({
        ...options,
        definition,
        request,
        snapshotId: id,
        key: () =>
          JSON.stringify([
            id,
            definition.digest,
            agent.member.card.folder,
            agent.environment.overlay.fingerprint,
            principal,
          ]),
        create: (own) => preparer.prepare(agent, request, { ...own, principal }),
      })
      return definition.acquire.kind === 'fresh' ? prepared : preparer.bind(prepared, request)
    },
  })
}

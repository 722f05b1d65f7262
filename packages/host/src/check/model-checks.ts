import { expandValues, findVariables } from '@troupe/env'
import {
  checkModel,
  parseModelId,
  type ModelCheck,
  type ModelContext,
  type ProviderConfig,
} from '@troupe/models'
import { getOwn, type Clock } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'
import type { Environment } from '../config/environments.ts'
import type { TeamMember } from '../team/collect-team.ts'

/** Result of checking a model for one environment and folder. */
interface CheckedModel extends Pick<AgentModelContext, 'written' | 'missing'> {
  readonly check: ModelCheck
}

/** Checks a model id. `folder` is the one against which scripts resolve. */
export type ModelChecks = (
  id: string,
  place: { readonly environment: Environment; readonly folder: string },
) => CheckedModel

/** Providers of a team, and the folder from which their packages are resolved. */
export interface TeamProviders {
  readonly providers: TroupeConfig['providers']
  readonly packageFolder: string
}

/** Creates a model check that caches results for one load of a team, since most agents share a few models. */
export function createModelChecks(team: TeamProviders): ModelChecks {
  const known = new Map<Environment, Map<string, Map<string, CheckedModel>>>()
  return (id, { environment, folder }) => {
    const checks = getOrCreateMap(getOrCreateMap(known, environment), folder)
    const checked =
      checks.get(id) ?? checkModelInContext(id, modelContext(id, { environment, ...team, folder }))
    checks.set(id, checked)
    return checked
  }
}

function getOrCreateMap<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const inner = maps.get(key) ?? new Map<L, V>()
  maps.set(key, inner)
  return inner
}

function checkModelInContext(id: string, { context, written, missing }: AgentModelContext): CheckedModel {
  return { check: checkModel(id, context), written, missing }
}

/** The model context of one agent, with its provider entry before expansion. */
interface AgentModelContext {
  readonly context: ModelContext
  /** Provider entry before expansion. `undefined` if the configuration has none. */
  readonly written: ProviderConfig | undefined
  /** Names of variables in that entry that have no value. */
  readonly missing: readonly string[]
}

/**
 * Creates the context of a model. Expands only the entry of its own provider, so that unused providers need
 * no variables.
 */
export function modelContext(
  id: string,
  parts: TeamProviders & {
    readonly environment: Environment
    /** Folder against which scripts resolve. */
    readonly folder: string
    readonly clock?: Clock | undefined
  },
): AgentModelContext {
  const { overlay, searched } = parts.environment
  const { provider = '' } = parseModelId(id)
  const written = getOwn(parts.providers ?? {}, provider)
  const { value, missing } = expandValues(written, overlay)
  return {
    context: {
      env: (name) => overlay.get(name),
      origin: (name) => overlay.origin(name),
      searched,
      folder: parts.folder,
      packageFolder: parts.packageFolder,
      ...(parts.clock === undefined ? {} : { clock: parts.clock }),
      ...(value === undefined ? {} : { providers: { [provider]: value } }),
    },
    written,
    missing,
  }
}

/**
 * Returns the variables without a value in a model id from the configuration. Model ids in cards are not
 * expanded.
 */
export function unsetVariables(
  id: string,
  { card: { definition } }: Pick<TeamMember, 'card'>,
  { overlay }: Environment,
): readonly string[] {
  const isWritten = definition?.model.includes(id) === true || definition?.context.model === id
  if (isWritten || !id.includes('${')) return []
  return findVariables(id).flatMap(({ name, hasDefault }) =>
    hasDefault || overlay.get(name) !== undefined ? [] : [name],
  )
}

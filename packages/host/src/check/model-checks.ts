import { checkModel, type ModelCheck } from '@troupe/models'
import type { TroupeConfig } from '../config/config-schema.ts'
import type { Environment } from '../config/environments.ts'
import { modelContext, type AgentModelContext } from './model-context.ts'

/** Result of checking a model for one environment and folder. */
export interface CheckedModel extends Pick<AgentModelContext, 'written' | 'missing'> {
  readonly check: ModelCheck
}

/** Checks a model id. `folder` is the one against which scripts resolve. */
export type ModelChecks = (
  id: string,
  place: { readonly environment: Environment; readonly folder: string },
) => CheckedModel

/** Creates a model check that caches results for one load of a team, since most agents share a few models. */
export function createModelChecks(providers: TroupeConfig['providers']): ModelChecks {
  const known = new Map<Environment, Map<string, Map<string, CheckedModel>>>()
  return (id, { environment, folder }) => {
    const checks = getOrCreateMap(getOrCreateMap(known, environment), folder)
    const checked = checks.get(id) ?? look(id, modelContext(id, { environment, providers, folder }))
    checks.set(id, checked)
    return checked
  }
}

function getOrCreateMap<K, L, V>(tables: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const table = tables.get(key) ?? new Map<L, V>()
  tables.set(key, table)
  return table
}

function look(id: string, { context, written, missing }: AgentModelContext): CheckedModel {
  return { check: checkModel(id, context), written, missing }
}

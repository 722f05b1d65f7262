import { checkModel, type ModelCheck } from '@troupe/models'
import type { TroupeConfig } from '../config/config-schema.ts'
import type { Environment } from '../config/environments.ts'
import { modelContext, type AgentModelContext } from './model-context.ts'

/** What is known of a model for the agents of one folder and one environment. */
export interface CheckedModel extends Pick<AgentModelContext, 'written' | 'missing'> {
  readonly check: ModelCheck
}

/** Looks into a model id; the folder is the one that scripts resolve against. */
export type ModelChecks = (
  id: string,
  place: { readonly environment: Environment; readonly folder: string },
) => CheckedModel

/** Checks of one load of a team: most agents name the same few models, and each is looked into once. */
export function createModelChecks(providers: TroupeConfig['providers']): ModelChecks {
  const known = new Map<Environment, Map<string, Map<string, CheckedModel>>>()
  return (id, { environment, folder }) => {
    const checks = within(within(known, environment), folder)
    const checked = checks.get(id) ?? look(id, modelContext(id, { environment, providers, folder }))
    checks.set(id, checked)
    return checked
  }
}

/** The table of a key, which is made when it is first asked for. */
function within<K, L, V>(tables: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const table = tables.get(key) ?? new Map<L, V>()
  tables.set(key, table)
  return table
}

function look(id: string, { context, written, missing }: AgentModelContext): CheckedModel {
  return { check: checkModel(id, context), written, missing }
}

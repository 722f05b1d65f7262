import { checkModel, type ModelCheck } from '@troupe/models'
import type { TroupeConfig } from './config-schema.ts'
import type { Environment } from './environments.ts'
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
  const known = new Map<Environment, Map<string, CheckedModel>>()
  return (id, { environment, folder }) => {
    const here = known.get(environment) ?? new Map<string, CheckedModel>()
    known.set(environment, here)
    const key = JSON.stringify([id, folder])
    const checked = here.get(key) ?? look(id, modelContext(id, { environment, providers, folder }))
    here.set(key, checked)
    return checked
  }
}

function look(id: string, { context, written, missing }: AgentModelContext): CheckedModel {
  return { check: checkModel(id, context), written, missing }
}

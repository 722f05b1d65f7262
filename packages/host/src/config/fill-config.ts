import { expandValues, missingVariables } from '@troupe/env'
import { isJsonObject, type Failure, type Json, type JsonObject } from '@troupe/schema'
import type { Environment } from './environments.ts'

/** What sessions and surfaces need, with variables of their own: filled in when they do, and not before (C40). */
const LATER: ReadonlySet<string> = new Set([
  '$schema',
  'mcpServers',
  'models',
  'providers',
  'server',
  'slack',
])

/** A configuration whose texts are filled in as far as they hold for a team as a whole, and what is missing for that. */
export interface FilledConfig {
  readonly value: JsonObject
  readonly missing?: Failure
}

/** Fills in the variables of everything but what each session has for itself: its servers, its provider, its model. */
export function fillConfig(written: JsonObject, environmentOf: () => Environment): FilledConfig {
  const now = Object.fromEntries(
    Object.entries(written).flatMap(([key, value]) =>
      LATER.has(key) ? [] : [[key, withoutModel(key, value)]],
    ),
  )
  if (!JSON.stringify(now).includes('${')) return { value: written }
  const environment = environmentOf()
  const { value, missing } = expandValues(now, environment.overlay)
  const filled = { ...written, ...value, ...defaultsOf(written, value) }
  return missing.length === 0
    ? { value: filled }
    : { value: filled, missing: missingVariables(missing, environment) }
}

function withoutModel(key: string, value: Json): Json {
  if (key !== 'defaults' || !isJsonObject(value)) return value
  const { model: _model, ...rest } = value
  return rest
}

/** `defaults` with the model as it is written. */
function defaultsOf({ defaults: written }: JsonObject, { defaults }: JsonObject): JsonObject {
  if (!isJsonObject(written) || !isJsonObject(defaults) || written['model'] === undefined) return {}
  return { defaults: { ...defaults, model: written['model'] } }
}

import { expandValues } from '@troupe/env'
import { parseModelId, type ModelContext, type ProviderConfig } from '@troupe/models'
import { getOwn, type Clock } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'
import type { Environment } from '../config/environments.ts'

/** The model context of one agent, with its provider entry before expansion. */
export interface AgentModelContext {
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
  parts: {
    readonly environment: Environment
    readonly providers: TroupeConfig['providers']
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
      ...(parts.clock === undefined ? {} : { clock: parts.clock }),
      ...(value === undefined ? {} : { providers: { [provider]: value } }),
    },
    written,
    missing,
  }
}

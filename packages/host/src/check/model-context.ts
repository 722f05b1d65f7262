import { expandValues } from '@troupe/env'
import { parseModelId, type ModelContext, type ProviderConfig } from '@troupe/models'
import { getOwn, type Clock } from '@troupe/schema'
import type { TroupeConfig } from '../config/config-schema.ts'
import type { Environment } from '../config/environments.ts'

/** What a model of one agent is made from. */
export interface AgentModelContext {
  readonly context: ModelContext
  /** The entry of the configuration as written; none: it says nothing of the provider. */
  readonly written: ProviderConfig | undefined
  /** Variables of that entry that have no value. */
  readonly missing: readonly string[]
}

/** The context of one model id: only the entry of its own provider is expanded (C40). */
export function modelContext(
  id: string,
  parts: {
    readonly environment: Environment
    readonly providers: TroupeConfig['providers']
    /** Scripts resolve against it. */
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

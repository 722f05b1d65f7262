import type { Failure, JsonObject, ProviderTool } from '@troupe/schema'
import { relaxationText } from '@troupe/json-schema'
import type { ModelVariable } from './connection.ts'
import type { ModelContext } from '../config/model-context.ts'
import type { ApiName, ProtocolName } from '../protocols/protocol-names.ts'
import { missingProviderTool, providerToolId } from '../protocols/provider-tools.ts'
import type { KnownPrice } from './list-prices.ts'
import { planModel } from './model-plan.ts'
import { parseModelId } from './parse-model-id.ts'
import { providerEntry } from './provider-entry.ts'
import { answerForm, providerSchema } from '../structured/answer-form.ts'

/** Facts about a model id that need no model call. */
export interface ModelCheck {
  readonly provider?: string
  readonly name: string
  /** Variables that the provider reads from the overlay, without those that the configuration replaces. */
  readonly variables: readonly ModelVariable[]
  /** Token limit for a request and its answer together; `undefined` if not known. */
  readonly contextWindow?: number
  /** Price with its date and source, or that of the configuration; `undefined` if it is not known. */
  readonly price?: KnownPrice
  /** Set if neither the configuration nor the list prices have a price. */
  readonly unpriced?: true
  /** Rules for requests of the provider. */
  readonly protocol?: ProtocolName
  /** API of the provider. */
  readonly api?: ApiName
  /** Failure that {@link resolveModel} would throw. */
  readonly problem?: Failure
}

/**
 * Checks a model id without a model call or network access: unknown provider, missing variables, invalid
 * script. Never throws.
 */
export function checkModel(id: string, context: ModelContext): ModelCheck {
  const { source, ...rest } = planModel(id, context)
  const check =
    source?.kind === 'provider'
      ? { ...rest, protocol: source.entry.protocol, api: source.connection.api }
      : rest
  const isProviders = source?.kind === 'provider' || check.problem?.code === 'env_missing'
  return isProviders && check.price === undefined ? { ...check, unpriced: true } : check
}

/** Returns the failure if the provider of a checked model does not execute one of these tools itself. */
export function unsupportedProviderTool(
  { provider = '', name, protocol, api }: ModelCheck,
  tools: readonly ProviderTool[] = [],
): Failure | undefined {
  if (protocol === undefined || api === undefined) return undefined
  const missing = tools.find((tool) => providerToolId(tool, { protocol, api }) === undefined)
  return missing === undefined ? undefined : missingProviderTool(`${provider}/${name}`, missing)
}

/**
 * Describes how a model's provider limits the schema of an answer, one line each. Empty if it accepts the
 * schema unchanged.
 */
export function outputNotes(
  id: string,
  context: ModelContext,
  call: { readonly schema: JsonObject; readonly hasTools: boolean },
): readonly string[] {
  // embedded models accept every schema, and planning one would read its file
  if (providerEntry(parseModelId(id).provider ?? '', context.providers) === undefined) return []
  const { provider = '', source } = planModel(id, context)
  if (source?.kind !== 'provider') return []
  const { protocol } = source.entry
  const form = source.structured ?? answerForm({ provider: protocol, name: source.modelName }, call)
  if (form === 'tool') return [`${id} returns its answer as the arguments of the tool final_answer`]
  const { strict, relaxations } = providerSchema(protocol, call.schema)
  return relaxations.map((one) =>
    strict
      ? `${provider} does not enforce ${relaxationText(one)}`
      : `${provider} does not enforce the schema, as ${one.why}`,
  )
}

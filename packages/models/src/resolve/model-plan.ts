import { resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import { readCassette, type Cassette } from '@troupe/cassette'
import {
  errorMessage,
  failure,
  getOwn,
  TroupeError,
  troupeError,
  type Failure,
  type Reasoning,
} from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { ModelContext } from '../config/model-context.ts'
import { isInstalled, missingPackage } from '../providers/import-package.ts'
import { PROVIDER_NAMES, type ProviderConnection, type ProviderEntry } from '../providers/provider-table.ts'
import type { AnswerForm } from '../structured/answer-form.ts'
import { readScript } from '../script/parse-script.ts'
import type { ModelScript } from '../script/script-schema.ts'
import { planConnection, type ModelVariable } from './connection.ts'
import { knownPrice, type KnownPrice } from './list-prices.ts'
import { parseModelId, type ModelId } from './parse-model-id.ts'
import { providerEntry, providerProblem } from './provider-entry.ts'

/** Data from which to create a model, by kind. */
export type ModelSource =
  | {
      readonly kind: 'provider'
      readonly entry: ProviderEntry
      readonly connection: ProviderConnection
      /** Model name sent to the provider. */
      readonly modelName: string
      readonly reasoning?: Reasoning
      /** True if the base URL is the provider's own, false for a compatible server. */
      readonly isOwnAddress: boolean
      /** From the id or the configuration. If `undefined`, it depends on the model. */
      readonly structured?: AnswerForm
    }
  | { readonly kind: 'script'; readonly script: ModelScript }
  | { readonly kind: 'replay'; readonly cassette: Cassette; readonly file: string }
  | { readonly kind: 'passthrough' }

/** A model id analysed without network access. Has either `source` or `problem`. */
export interface ModelPlan {
  readonly provider?: string
  readonly name: string
  readonly variables: readonly ModelVariable[]
  /** Price of a provider's model; `undefined` if not known. */
  readonly price?: KnownPrice
  /** Context window of a provider's model, in tokens; `undefined` if not known. */
  readonly contextWindow?: number
  readonly source?: ModelSource
  readonly problem?: Failure
}

/**
 * Analyses a model id without calling the model. Reads only scripts and recordings. Never throws: errors
 * become `problem`.
 */
export function planModel(id: string, context: ModelContext): ModelPlan {
  const parsed = parseModelId(id)
  const { provider, name } = parsed
  const plan = { ...(provider === undefined ? {} : { provider }), name, variables: [] }
  const problem = idProblem(id, parsed, context)
  if (problem !== undefined) return { ...plan, problem }
  if (provider === 'passthrough') return { ...plan, source: { kind: 'passthrough' } }
  if (provider === 'script') return { ...plan, ...planScript(name, context) }
  if (provider === 'replay') return { ...plan, ...planReplay(name, context) }
  return { ...plan, ...planProvider(parsed, context) }
}

function idProblem(
  id: string,
  { provider, name, problem }: ModelId,
  { providers }: ModelContext,
): Failure | undefined {
  if (provider === undefined) return noProvider(name)
  if (!PROVIDER_NAMES.includes(provider) && providerEntry(provider, providers) === undefined)
    return unknownProvider(id, provider)
  if (problem !== undefined) return failure('model_unknown', `"${id}": ${problem}.`)
  if (name === '' && provider !== 'passthrough')
    return failure('model_unknown', `"${id}" has no model name after "${provider}".`)
  return undefined
}

function noProvider(name: string): Failure {
  const known = PROVIDER_NAMES.join(', ')
  if (name === '') return failure('model_unknown', 'The model id is empty.')
  return failure(
    'model_unknown',
    `"${name}" has no provider and is not a well-known model name. Providers: ${known}.`,
    `Use provider/name, such as ollama/${name}, or define "${name}" in \`models\` of troupe.json.`,
  )
}

function unknownProvider(id: string, provider: string): Failure {
  const meant = closest(provider, PROVIDER_NAMES)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  const known = PROVIDER_NAMES.join(', ')
  return failure('model_unknown', `"${id}": unknown provider "${provider}".${hint} Providers: ${known}.`)
}

function planScript(name: string, { folder, scripts }: ModelContext): Pick<ModelPlan, 'source' | 'problem'> {
  try {
    return { source: { kind: 'script', script: readScript(resolve(folder, name), scripts) } }
  } catch (error) {
    if (TroupeError.isInstance(error)) return { problem: error.failure }
    throw error
  }
}

function planReplay(name: string, { folder }: ModelContext): Pick<ModelPlan, 'source' | 'problem'> {
  const file = resolve(folder, name)
  try {
    return { source: { kind: 'replay', cassette: readReplay(file), file } }
  } catch (error) {
    if (TroupeError.isInstance(error)) return { problem: error.failure }
    throw error
  }
}

function planProvider(
  { provider = '', name, settings: suffix }: ModelId,
  context: ModelContext,
): Pick<ModelPlan, 'variables' | 'price' | 'contextWindow' | 'source' | 'problem'> {
  const entry = providerEntry(provider, context.providers)
  if (entry === undefined) return { variables: [], problem: unknownProvider(name, provider) }
  const { variables, connection, problem } = planConnection(provider, { entry, context })
  const settings = getOwn(context.providers ?? {}, provider) ?? {}
  const wrong = configProblem(provider, entry, context)
  if (wrong !== undefined) return { variables, problem: wrong }
  const { models = {}, prices } = settings
  const config = getOwn(models, name) ?? getOwn(models, '*') ?? {}
  const isOwnAddress = connection === undefined || connection.isOwnAddress
  const price = knownPrice({ provider, names: [name, config.name ?? name], prices, isOwnAddress })
  const contextWindow =
    config.contextWindow ?? (isOwnAddress ? listedWindow(provider, config.name ?? name) : undefined)
  const known = {
    variables,
    ...(price === undefined ? {} : { price }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  }
  if (connection === undefined) return { ...known, ...(problem === undefined ? {} : { problem }) }
  const reasoning = suffix?.reasoning ?? config.reasoning
  // the final answer of the other form is a tool call
  const structured = entry.hasNoTools === true ? 'native' : (suffix?.structured ?? config.structured)
  return {
    ...known,
    source: {
      kind: 'provider',
      entry,
      connection,
      modelName: config.name ?? name,
      isOwnAddress,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(structured === undefined ? {} : { structured }),
    },
  }
}

/** Returns a mistake in the entry of a provider, or a package that is not installed. */
function configProblem(
  provider: string,
  { package: name }: ProviderEntry,
  context: ModelContext,
): Failure | undefined {
  const problem = providerProblem(provider, getOwn(context.providers ?? {}, provider) ?? {})
  if (problem !== undefined) {
    const key = problem.key === undefined ? '' : `.${problem.key}`
    return failure('config_invalid', `providers.${provider}${key}: ${problem.message}.`, problem.fix)
  }
  const { packageFolder = context.folder } = context
  return name === undefined || isInstalled(name, packageFolder)
    ? undefined
    : missingPackage(name, { provider, folder: packageFolder })
}

interface WindowRow {
  readonly names: RegExp
  /** Token limit for a request and its answer together. */
  readonly tokens: number
}

/**
 * Documented context windows by provider; the first match applies. These are the sizes available to every
 * account. A size that is too small only shortens conversations earlier.
 */
const WINDOWS: Readonly<Record<string, readonly WindowRow[]>> = {
  openai: [
    { names: /^gpt-5-chat/u, tokens: 128_000 },
    // limit for the request, out of 400,000
    { names: /^gpt-5/u, tokens: 272_000 },
    { names: /^gpt-4\.1/u, tokens: 1_047_576 },
    { names: /^(?:gpt-4o|chatgpt-4o|gpt-4-turbo|o1-mini)/u, tokens: 128_000 },
    { names: /^o\d/u, tokens: 200_000 },
    { names: /^gpt-4(?:-\d{4})?$/u, tokens: 8192 },
    { names: /^gpt-3\.5-turbo/u, tokens: 16_385 },
  ],
  anthropic: [{ names: /^claude-/u, tokens: 200_000 }],
  google: [{ names: /^gemini-(?:1\.5|2|3)/u, tokens: 1_048_576 }],
}

/** Returns the context window of a model in tokens, or `undefined` if it is not known. */
function listedWindow(provider: string, model: string): number | undefined {
  const rows = Object.hasOwn(WINDOWS, provider) ? (WINDOWS[provider] ?? []) : []
  return rows.find(({ names }) => names.test(model))?.tokens
}

/** Reads a recording. Throws `cassette_invalid`. */
function readReplay(file: string): Cassette {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw troupeError('cassette_invalid', `${file} cannot be read: ${errorMessage(cause)}.`, { cause })
  }
  return readCassette(text, file)
}

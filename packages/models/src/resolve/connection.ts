import { missingVariables } from '@troupe/env'
import { failure, getOwn, type Failure } from '@troupe/schema'
import type { ModelContext, ProviderConfig } from '../config/model-context.ts'
import type { ProviderConnection, ProviderEntry } from '../providers/provider-table.ts'

/** A variable of the overlay that a provider reads. */
export interface ModelVariable {
  readonly name: string
  readonly required: boolean
  readonly found: boolean
}

/** Connection settings of a provider, or the reason why they are incomplete. */
interface ConnectionPlan {
  /** Variables that the configuration does not replace. */
  readonly variables: readonly ModelVariable[]
  readonly connection?: ProviderConnection
  readonly problem?: Failure
}

/** A setting with its source for messages. An empty value means that it is not set. */
interface Setting {
  readonly from: string
  readonly value: string
  readonly variable?: ModelVariable
}

/**
 * Keys are printable ASCII. Other characters would fail as a header value, with the key in the error message.
 */
const KEY = /^[\x21-\x7e]+$/u

/**
 * Returns key, base URL and headers. The configuration takes precedence over the overlay, and the overlay
 * over the documented default.
 */
export function planConnection(
  provider: string,
  options: { readonly entry: ProviderEntry; readonly context: ModelContext },
): ConnectionPlan {
  const { entry, context } = options
  const config = getOwn(context.providers ?? {}, provider) ?? {}
  const key = readSetting(`providers.${provider}.apiKey`, config.apiKey, {
    variable: entry.keyVariable,
    required: entry.needsKey,
    context,
  })
  const base = readSetting(`providers.${provider}.baseURL`, config.baseURL, {
    variable: entry.baseURLVariable,
    required: entry.defaultBaseURL === undefined,
    context,
  })
  const variables = [key, base].flatMap(({ variable }) => (variable === undefined ? [] : [variable]))
  const problem = missing(variables, context) ?? badKey(key) ?? badBaseURL(base, entry)
  if (problem !== undefined) return { variables, problem }
  return { variables, connection: toConnection(config, { key, base, entry, context }) }
}

function toConnection(
  config: ProviderConfig,
  parts: {
    readonly key: Setting
    readonly base: Setting
    readonly entry: ProviderEntry
    readonly context: ModelContext
  },
): ProviderConnection {
  const { key, base, entry, context } = parts
  return {
    apiKey: key.value,
    baseURL: base.value === '' ? (entry.defaultBaseURL ?? '') : base.value,
    headers: config.headers ?? {},
    api: config.api === 'responses' ? 'responses' : 'chat',
    ...(context.fetch === undefined ? {} : { fetch: context.fetch }),
    ...(key.value === '' ? {} : { credential: credentialOf(key, context) }),
  }
}

function credentialOf({ from, variable }: Setting, { origin, searched }: ModelContext): string {
  if (variable === undefined) return `${from} from the configuration`
  const source = origin?.(variable.name)
  return source === undefined ? `${from}, looked up in ${searched.join(', ')}` : `${from} from ${source}`
}

function readSetting(
  key: string,
  configured: string | undefined,
  options: {
    readonly variable: string | undefined
    readonly required: boolean
    readonly context: ModelContext
  },
): Setting {
  const own = configured?.trim() ?? ''
  if (own !== '' || options.variable === undefined) return { from: key, value: own }
  const value = options.context.env(options.variable)?.trim() ?? ''
  const variable = { name: options.variable, required: options.required, found: value !== '' }
  return { from: options.variable, value, variable }
}

function missing(variables: readonly ModelVariable[], { searched }: ModelContext): Failure | undefined {
  const names = variables.filter(({ required, found }) => required && !found).map(({ name }) => name)
  return names.length === 0 ? undefined : missingVariables(names, { searched })
}

function badKey({ from, value }: Setting): Failure | undefined {
  if (value === '' || KEY.test(value)) return undefined
  const fix = `Set ${from} to the key alone: one line of letters, digits and punctuation.`
  return failure(
    'config_invalid',
    `${from} contains spaces or other characters that are not allowed in a key.`,
    fix,
  )
}

function badBaseURL({ from, value }: Setting, { baseURLVariable }: ProviderEntry): Failure | undefined {
  const isUnset = value === '' && baseURLVariable !== undefined
  if (isUnset || /^https?:$/u.test(protocolOf(value))) return undefined
  const fix = `Set ${from} to a URL with its version path, such as https://api.openai.com/v1.`
  return failure('config_invalid', `${from} is not an http or https URL: "${value}".`, fix)
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

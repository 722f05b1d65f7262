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

/** An option of the package with its source. */
interface OptionSetting extends Setting {
  readonly option: string
  readonly isSecret: boolean
}

/** Everything that a connection is made from. */
interface ConnectionParts {
  readonly provider: string
  readonly config: ProviderConfig
  readonly entry: ProviderEntry
  readonly context: ModelContext
}

/** The settings of a connection. */
interface ConnectionSettings {
  readonly key: Setting
  readonly base: Setting
  readonly options: readonly OptionSetting[]
}

/**
 * Keys are printable ASCII. Other characters would fail as a header value, with the key in the error message.
 */
const KEY = /^[\x21-\x7e]+$/u

/**
 * Returns key, base URL, headers and options. The configuration takes precedence over the overlay, and the
 * overlay over the documented default.
 */
export function planConnection(
  provider: string,
  { entry, context }: { readonly entry: ProviderEntry; readonly context: ModelContext },
): ConnectionPlan {
  const { options: written = {}, ...rest } = getOwn(context.providers ?? {}, provider) ?? {}
  // an empty text, as from `${REGION:-}`, is not set
  const given = Object.entries(written).filter(([, value]) => value !== '')
  const config: ProviderConfig = { ...rest, options: Object.fromEntries(given) }
  const parts: ConnectionParts = { provider, config, entry, context }
  const hasOwnCredentials =
    config.credentials !== undefined ||
    (entry.credentialOptions ?? []).some((option) => config.options?.[option] !== undefined)
  const key = readSetting(`providers.${provider}.apiKey`, config.apiKey, {
    variable: hasOwnCredentials ? undefined : entry.keyVariable,
    required: entry.needsKey,
    context,
  })
  const base = readSetting(`providers.${provider}.baseURL`, config.baseURL, {
    variable: entry.baseURLVariable,
    required: entry.defaultBaseURL === undefined && entry.package === undefined,
    context,
  })
  const options = readOptions(parts, { key, base, hasOwnCredentials })
  const settings = { key, base, options }
  const variables = [key, base, ...options].flatMap(({ variable }) =>
    variable === undefined ? [] : [variable],
  )
  const problem =
    missing(variables, parts) ??
    [key, ...options].map(badKey).find((each) => each !== undefined) ??
    badBaseURL(base, entry) ??
    badAddressPart(settings, entry)
  if (problem !== undefined) return { variables, problem }
  return { variables, connection: toConnection(parts, settings) }
}

/** Reads the options of the package that the configuration does not set and nothing replaces. */
function readOptions(
  { entry, config, context, provider }: ConnectionParts,
  given: { readonly key: Setting; readonly base: Setting; readonly hasOwnCredentials: boolean },
): readonly OptionSetting[] {
  const isGiven = {
    key: given.key.value !== '',
    baseURL: given.base.value !== '',
    credentials: given.hasOwnCredentials,
  }
  return (entry.optionVariables ?? []).flatMap((row) => {
    const configured = config.options?.[row.option]
    const option = { option: row.option, isSecret: row.replacedBy?.includes('credentials') === true }
    if (typeof configured === 'string')
      return [{ ...option, from: `providers.${provider}.options.${row.option}`, value: configured.trim() }]
    if (configured !== undefined || row.replacedBy?.some((each) => isGiven[each]) === true) return []
    const required = row.isOptional !== true
    return [{ ...option, ...readSetting('', undefined, { variable: row.variable, required, context }) }]
  })
}

function toConnection(
  { config, entry, context }: ConnectionParts,
  { key, base, options }: ConnectionSettings,
): ProviderConnection {
  const values = options.filter(({ value }) => value !== '')
  const ownURL = ownBaseURL(entry, values)
  const baseURL = base.value === '' ? ownURL : base.value
  const isOwnAddress = baseURL === ownURL
  const secrets = [key, ...values.filter(({ isSecret }) => isSecret)].filter(({ value }) => value !== '')
  const [credential] = secrets
  return {
    apiKey: key.value,
    baseURL,
    isOwnAddress,
    headers: config.headers ?? {},
    api: config.api ?? (isOwnAddress ? entry.ownApi : undefined) ?? entry.apis?.[0] ?? 'chat',
    options: { ...config.options, ...Object.fromEntries(values.map(({ option, value }) => [option, value])) },
    secrets: secrets.map(({ value }) => value),
    ...(context.fetch === undefined ? {} : { fetch: context.fetch }),
    ...(credential === undefined ? {} : { credential: credentialOf(credential, context) }),
  }
}

/** Returns the documented base URL with the options that it contains. */
function ownBaseURL({ defaultBaseURL = '' }: ProviderEntry, options: readonly OptionSetting[]): string {
  return defaultBaseURL.replaceAll(
    /\{(\w+)\}/gu,
    (_, name) => options.find(({ option }) => option === name)?.value ?? '',
  )
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

function missing(
  variables: readonly ModelVariable[],
  { entry, provider, context: { searched } }: ConnectionParts,
): Failure | undefined {
  const names = variables.filter(({ required, found }) => required && !found).map(({ name }) => name)
  if (names.length === 0) return undefined
  const problem = missingVariables(names, { searched })
  if (entry.defaultCredentials === undefined) return problem
  const remediation = `${problem.remediation} To use the default credentials of the machine, set \`providers.${provider}.credentials\` to "default".`
  return { ...problem, remediation }
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

function badBaseURL(
  { from, value }: Setting,
  { defaultBaseURL, package: name }: ProviderEntry,
): Failure | undefined {
  const isUnset = value === '' && (defaultBaseURL ?? name) !== undefined
  if (isUnset || /^https?:$/u.test(protocolOf(value))) return undefined
  const fix = `Set ${from} to a URL with its version path, such as https://api.openai.com/v1.`
  return failure('config_invalid', `${from} is not an http or https URL: "${value}".`, fix)
}

/** Refuses options that would change the host of the documented base URL. */
function badAddressPart(
  { base, options }: ConnectionSettings,
  { defaultBaseURL = '' }: ProviderEntry,
): Failure | undefined {
  if (base.value !== '') return undefined
  const bad = options.find(
    ({ option, value }) => defaultBaseURL.includes(`{${option}}`) && !/^[a-z0-9-]+$/iu.test(value),
  )
  if (bad === undefined) return undefined
  const fix = `Set ${bad.from} to a name of letters, digits and hyphens, or set \`baseURL\`.`
  return failure('config_invalid', `${bad.from} is not part of a host name: "${bad.value}".`, fix)
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

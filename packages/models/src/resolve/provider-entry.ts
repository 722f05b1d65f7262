import { getOwn } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { ModelContext, ProviderConfig } from '../config/model-context.ts'
import { PROVIDER_APIS } from '../protocols/protocol-names.ts'
import {
  API_ADAPTERS,
  EMBEDDED_PROVIDERS,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderEntry,
} from '../providers/provider-table.ts'

/** A mistake in an entry of `providers`. */
export interface ProviderProblem {
  /** Key of the entry; `undefined` if the entry as a whole is wrong. */
  readonly key?: keyof ProviderConfig
  readonly message: string
  readonly fix: string
}

const ADD_PACKAGE = 'Set `package` to the npm package that has the adapter of this provider.'

/**
 * Returns the facts about a provider: those of its row, of a package, or of a server with a known API.
 * `undefined` if the name is unknown and the configuration says neither.
 */
export function providerEntry(
  name: string,
  providers: ModelContext['providers'] = {},
): ProviderEntry | undefined {
  const row = PROVIDERS.get(name)
  const config = getOwn(providers, name) ?? {}
  if (config.package !== undefined) return packageEntry(config.package, row)
  if (row !== undefined && !isServer(row, config)) return row
  if (row === undefined && config.baseURL === undefined) return undefined
  const { protocol, load } = API_ADAPTERS[config.api ?? 'chat']
  const { package: _package, ...known } = row ?? { needsKey: false }
  return { ...known, protocol, load, apis: PROVIDER_APIS }
}

/** Returns true if the configuration chooses an adapter of this package for a provider. */
function isServer(
  { package: name, defaultCredentials, apis = [], protocol }: ProviderEntry,
  config: ProviderConfig,
): boolean {
  const { api, baseURL } = config
  if (name !== undefined) return defaultCredentials === undefined && (api ?? baseURL) !== undefined
  return protocol === 'openai-compatible' && api !== undefined && apis.includes(api)
}

/** Returns the facts about a package: those of the row that has it, or the key variable of the provider. */
function packageEntry(name: string, row: ProviderEntry | undefined): ProviderEntry {
  const known = [...PROVIDERS.values()].find((each) => each.package === name) ?? PACKAGES.get(name)
  if (known !== undefined) return { ...known, package: name }
  const { keyVariable, needsKey = false, hasNoTools } = row ?? {}
  return {
    protocol: 'other',
    needsKey,
    package: name,
    ...(keyVariable === undefined ? {} : { keyVariable }),
    ...(hasNoTools === undefined ? {} : { hasNoTools }),
  }
}

/** Rules of packages that no row has. */
const PACKAGES: ReadonlyMap<string, ProviderEntry> = new Map<string, ProviderEntry>([
  ['@ai-sdk/openai', { protocol: 'openai', needsKey: false, apis: ['responses', 'chat'] }],
  ['@ai-sdk/anthropic', { protocol: 'anthropic', needsKey: false }],
  ['@ai-sdk/google', { protocol: 'google', needsKey: false }],
  ['@ai-sdk/google-vertex/anthropic', { ...cloudOf('vertex'), protocol: 'anthropic' }],
  ['@ai-sdk/amazon-bedrock/anthropic', { ...cloudOf('bedrock'), protocol: 'anthropic' }],
])

function cloudOf(name: string): ProviderEntry {
  return PROVIDERS.get(name) ?? { protocol: 'other', needsKey: false }
}

/** Returns the first mistake in an entry of `providers`, without looking at variables. */
export function providerProblem(name: string, config: ProviderConfig): ProviderProblem | undefined {
  if (EMBEDDED_PROVIDERS.includes(name)) return undefined
  const entry = providerEntry(name, { [name]: config })
  if (entry === undefined) return emptyEntry(name)
  const { factory, options, credentials, api, body, apiKey } = config
  if (entry.package === undefined) {
    if (factory !== undefined)
      return { key: 'factory', message: 'has no effect without `package`', fix: ADD_PACKAGE }
    if (options !== undefined)
      return { key: 'options', message: 'has no effect without `package`', fix: ADD_PACKAGE }
  }
  if (credentials !== undefined && entry.defaultCredentials === undefined)
    return {
      key: 'credentials',
      message: 'has no effect: only azure, bedrock and vertex have default credentials',
      fix: 'Remove the key, and set `apiKey`.',
    }
  if (credentials !== undefined && apiKey !== undefined)
    return {
      key: 'credentials',
      message: 'cannot be combined with `apiKey`',
      fix: 'Remove one of them.',
    }
  if (api !== undefined && entry.apis !== undefined && !entry.apis.includes(api))
    return wrongApi(name, api, entry)
  if (api !== undefined && entry.apis === undefined && entry.package === undefined)
    return wrongApi(name, api, entry)
  if (body !== undefined && entry.isSigned === true && apiKey === undefined)
    return {
      key: 'body',
      message: `cannot be used, because requests to ${name} are signed`,
      fix: 'Remove the key, or authenticate with `apiKey`.',
    }
  return undefined
}

function emptyEntry(name: string): ProviderProblem {
  const meant = closest(name, PROVIDER_NAMES)
  return {
    message: `does nothing: ${name} is not built in, and neither \`baseURL\` nor \`package\` is set`,
    fix:
      meant === undefined
        ? 'Set `baseURL` to the address of a server, or `package` to an npm package with its adapter.'
        : `Rename it to "${meant}", or set \`baseURL\` or \`package\`.`,
  }
}

function wrongApi(name: string, api: string, { apis = [] }: ProviderEntry): ProviderProblem {
  return {
    key: 'api',
    message: `${name} does not have the API of ${api}`,
    fix: apis.length === 0 ? 'Remove the key.' : `Use one of ${apis.join(', ')}.`,
  }
}

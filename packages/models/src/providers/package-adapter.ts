import { getOwn, isJsonObject, troupeError, type LanguageModel } from '@troupe/schema'
import { requireModelVersion, type EmbeddingModel } from '@troupe/schema/ports'
import { importDefaultCredentials } from './default-credentials.ts'
import { importPackage, type PackageUser } from './import-package.ts'
import type { ProviderAdapter, ProviderConnection, ProviderEntry } from './provider-table.ts'

/** A package to load, with the keys of the provider that choose what to call in it. */
export interface PackageSource extends PackageUser {
  readonly package: string
  readonly entry: ProviderEntry
  readonly factory: string | undefined
  /** Method of the provider that creates models. Default: `languageModel`. */
  readonly api: string | undefined
  /** True to use the default credentials of the machine. */
  readonly usesDefaultCredentials: boolean
}

type Factory = (options: object) => unknown

/**
 * Loads the adapter in a package of the AI SDK's provider contract. Throws `config_invalid` if the package is
 * not installed or creates no provider.
 */
export async function loadPackageAdapter(source: PackageSource): Promise<ProviderAdapter> {
  const factory = factoryOf(await importPackage(source.package, source), source)
  const { defaultCredentials } = source.entry
  const usesDefaults = source.usesDefaultCredentials && defaultCredentials !== undefined
  const credentials = usesDefaults ? await importDefaultCredentials(defaultCredentials, source) : {}
  const connect = (connection: ProviderConnection): unknown =>
    factory({ ...factoryOptions(source.provider, connection), ...credentials })
  return {
    createModel: (name, connection) => toModel(modelOf(connect(connection), name, source)),
    createEmbeddingModel: (name, connection) => toEmbeddingModel(connect(connection), name, source),
  }
}

function factoryOf(exported: Readonly<Record<string, unknown>>, source: PackageSource): Factory {
  const { provider, package: from, factory } = source
  const name = factory ?? Object.keys(exported).find((each) => isFactory(each, exported[each]))
  const found = name === undefined ? undefined : getOwn(exported, name)
  if (typeof found === 'function') return found as Factory
  const factories = Object.keys(exported).filter((each) => isFactory(each, exported[each]))
  throw troupeError(
    'config_invalid',
    `providers.${provider}: the package ${from} ${name === undefined ? 'exports no function named `create…`' : `exports no function ${name}`}.`,
    {
      fix:
        factories.length === 0
          ? 'Use a package with an AI SDK provider, or name the function in `factory`.'
          : `Set \`factory\` to one of ${factories.join(', ')}.`,
    },
  )
}

function isFactory(name: string, value: unknown): boolean {
  return /^create[A-Z]/u.test(name) && typeof value === 'function'
}

/**
 * Returns the options of the factory. The key is always set, even if it is empty, because packages read it
 * from the environment of the process otherwise.
 */
function factoryOptions(provider: string, connection: ProviderConnection): object {
  const { apiKey, baseURL, headers, fetch, options } = connection
  return {
    name: provider,
    apiKey,
    headers,
    ...(baseURL === '' ? {} : { baseURL }),
    ...(fetch === undefined ? {} : { fetch }),
    ...options,
  }
}

function modelOf(provider: unknown, name: string, source: PackageSource): unknown {
  const { api = 'languageModel' } = source
  const create: unknown = hasMembers(provider) ? provider[api] : undefined
  if (typeof create === 'function') return create.call(provider, name) as unknown
  throw troupeError(
    'config_invalid',
    `providers.${source.provider}: the package ${source.package} creates no provider with \`${api}\`.`,
    { fix: source.api === undefined ? 'Set `factory` to another function.' : 'Remove `api`.' },
  )
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'function' || isJsonObject(value)
}

/** Returns a model of v4. Converts one of v3, as packages for AI SDK 6 create, and refuses others. */
async function toModel(created: unknown): Promise<LanguageModel> {
  const model = created as LanguageModel
  const { specificationVersion: version }: { readonly specificationVersion?: unknown } = model
  if (version === 'v3') {
    const { convertModel } = await import('./convert-model.ts')
    return convertModel(model)
  }
  requireModelVersion(model)
  return model
}

/** Creates an embedding model of v4. Throws `config_invalid` if the package has none. */
function toEmbeddingModel(
  provider: unknown,
  name: string,
  { provider: id, package: from }: PackageSource,
): EmbeddingModel {
  const create: unknown = hasMembers(provider) ? provider['embeddingModel'] : undefined
  const created: unknown = typeof create === 'function' ? create.call(provider, name) : undefined
  if (isJsonObject(created) && created['specificationVersion'] === 'v4')
    return created as unknown as EmbeddingModel
  throw troupeError(
    'config_invalid',
    `providers.${id}: the package ${from} creates no embedding models of v4.`,
    {
      fix: 'Name an embedding model of another provider.',
    },
  )
}

import { getOwn, isJsonObject, type JsonObject } from '@troupe/schema'
import type { RawCard } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'

/** A provider of a docker-agent file, with the keys of `providers` in troupe.json. */
export interface DockerProvider {
  readonly name: string
  readonly settings: JsonObject
}

/** Providers whose API is not that of OpenAI, or that have a key of their own. */
const BUILT_IN: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['openai', { apiKey: '${OPENAI_API_KEY:-}' }],
  ['anthropic', { api: 'anthropic', apiKey: '${ANTHROPIC_API_KEY:-}' }],
])
/** Addresses of the providers that may have another key at their own address. */
const ADDRESSES: ReadonlyMap<string, string> = new Map([
  ['openai', 'https://api.openai.com/v1'],
  ['anthropic', 'https://api.anthropic.com/v1'],
])
/** Providers whose API Troupe has only at their own address. */
const OWN_API: ReadonlySet<string> = new Set(['google', 'amazon-bedrock', 'azure'])
const APIS: ReadonlyMap<string, string> = new Map([
  ['openai_chatcompletions', 'chat'],
  ['openai_responses', 'responses'],
])

/** Returns the entry of `providers` with this name. */
export function providerEntry(name: string, { fields }: RawCard): JsonObject | undefined {
  const provider = getOwn(mappingOf(fields['providers']), name)
  return isJsonObject(provider) ? provider : undefined
}

/**
 * Returns the provider that an entry of `providers` defines. `undefined` if it sets no address and is of a kind
 * that Troupe reaches under its own name.
 */
export function definedProvider(name: string, entry: JsonObject): DockerProvider | undefined {
  const kind = textOf(entry['provider'], isText(entry['base_url']) ? name : 'openai')
  const address = isText(entry['base_url']) ? entry['base_url'] : ADDRESSES.get(kind)
  if (address === undefined) return undefined
  return {
    name: BUILT_IN.has(name) || OWN_API.has(name) ? nameAt(name, address) : name,
    settings: settingsOf(entry, kind, address),
  }
}

/** Returns the provider of a model with an address or a key of its own; `undefined` if it cannot have these. */
export function providerAt(model: JsonObject, kind: string): DockerProvider | undefined {
  const { base_url: url, token_key: token } = model
  const address = isText(url) ? url : isText(token) ? ADDRESSES.get(kind) : undefined
  if (address === undefined || OWN_API.has(kind)) return undefined
  const name = isText(url) ? nameAt(kind, url) : nameAt(kind, textOf(token).toLowerCase())
  return { name, settings: settingsOf(model, kind, address) }
}

function settingsOf(
  { token_key: token, api_type: type, headers }: JsonObject,
  kind: string,
  address: string,
): JsonObject {
  const api = APIS.get(textOf(type))
  return {
    ...BUILT_IN.get(kind),
    baseURL: withVariables(address),
    ...(api === undefined ? {} : { api }),
    ...(isText(token) ? { apiKey: `\${${token}}` } : {}),
    ...(isJsonObject(headers) ? { headers: headersOf(headers) } : {}),
  }
}

/** Names a provider after its kind and address, so that it never replaces another one. */
function nameAt(kind: string, address: string): string {
  return `${kind}-${address.replace(/^\w+:\/\//u, '').replaceAll(/\W+/gu, '-')}`.replace(/-$/u, '')
}

function headersOf(headers: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withVariables(textOf(value))]),
  )
}

/** Converts `${env.NAME}` to `${NAME}`. */
export function withVariables(text: string): string {
  return text.replaceAll(/\$\{env\.(\w+)\}/gu, '$${$1}')
}

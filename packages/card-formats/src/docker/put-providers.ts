import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
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
/** Providers whose API Troupe has only at their own address. */
const OWN_API: ReadonlySet<string> = new Set(['google', 'amazon-bedrock', 'azure'])
const APIS: ReadonlyMap<string, string> = new Map([
  ['openai_chatcompletions', 'chat'],
  ['openai_responses', 'responses'],
])

/** Returns the provider that `providers` of the file defines under a name. */
export function definedProvider(name: string, { fields }: RawCard): DockerProvider | undefined {
  const provider = getOwn(mappingOf(fields['providers']), name)
  if (!isJsonObject(provider) || !isText(provider['base_url'])) return undefined
  const kind = textOf(provider['provider'], name)
  const address = provider['base_url']
  return {
    name: BUILT_IN.has(name) || OWN_API.has(name) ? nameAt(name, address) : name,
    settings: settingsOf(provider, kind, address),
  }
}

/** Returns the provider of a model with its own address; `undefined` if its API cannot be used there. */
export function providerAt(model: JsonObject, kind: string): DockerProvider | undefined {
  const address = textOf(model['base_url'])
  if (OWN_API.has(kind)) return undefined
  return { name: nameAt(kind, address), settings: settingsOf(model, kind, address) }
}

function settingsOf(
  { token_key: token, api_type: type }: JsonObject,
  kind: string,
  address: string,
): JsonObject {
  const api = APIS.get(textOf(type))
  return {
    ...BUILT_IN.get(kind),
    baseURL: withVariables(address),
    ...(api === undefined ? {} : { api }),
    ...(isText(token) ? { apiKey: `\${${token}}` } : {}),
  }
}

/** Names a provider after its kind and address, so that it never replaces another one. */
function nameAt(kind: string, address: string): string {
  return `${kind}-${address.replace(/^\w+:\/\//u, '').replaceAll(/\W+/gu, '-')}`.replace(/-$/u, '')
}

/** Converts `${env.NAME}` to `${NAME}`. */
function withVariables(text: string): Json {
  return text.replaceAll(/\$\{env\.(\w+)\}/gu, '$${$1}')
}

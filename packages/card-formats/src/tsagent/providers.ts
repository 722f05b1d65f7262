import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { ignored, isText, mappingOf, translated } from '../rules/field-rule.ts'
import { isSecretStore, variableOf } from './variables.ts'

/** Providers of tsagent with their names in Troupe. */
export const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['gemini', 'google'],
  ['claude', 'anthropic'],
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['ollama', 'ollama'],
  ['docker', 'docker'],
])

/** Base URL of Docker Model Runner, the default of tsagent's provider `docker`. */
const DOCKER_URL = 'http://localhost:12434/engines/v1'

/** Defines the provider of the agent's model with its key and URL. Other providers are not used. */
export function putProviders(field: FieldContext): void {
  const { card, rewriter } = field
  const settings = mappingOf(card.fields['settings'])
  const model = settings['model'] ?? settings['mostRecentModel']
  const used = isText(model) ? model.slice(0, Math.max(model.indexOf(':'), 0)) : ''
  const providers = mappingOf(card.fields['providers'])
  for (const [name, value] of Object.entries(providers))
    if (name !== used && isJsonObject(value) && Object.keys(value).length > 0)
      rewriter.note({ key: `providers.${name}`, ...ignored('the model of the agent is of another provider') })
  const to = PROVIDERS.get(used)
  if (to === undefined) return
  const entry = mappingOf(providers[used])
  const config = providerSettings(entry, { used, at: ['providers', used], field })
  if (Object.keys(config).length === 0) return
  rewriter.addProvider(to, config)
  rewriter.note({ key: `providers.${used}`, ...translated(`providers.${to}`) })
}

function providerSettings(
  entry: JsonObject,
  { used, at, field }: { readonly used: string; readonly at: FieldPath; readonly field: FieldContext },
): JsonObject {
  const config: Record<string, Json> = used === 'docker' ? { api: 'chat', baseURL: DOCKER_URL } : {}
  for (const [key, written] of Object.entries(entry)) {
    const path = [...at, key]
    if (isSecretStore(written, path, field)) continue
    const value = variableOf(written)
    if (!isText(value) || value === '') continue
    if (/(?:_API)?_KEY$/u.test(key)) putKey(value, { path, config, field })
    else if (/(?:URL|HOST)$/u.test(key)) config['baseURL'] = used === 'ollama' ? ollamaUrl(value) : value
    else
      field.rewriter.note({ key: dottedPath(path), ...ignored('providers in Troupe have no such setting') })
  }
  return config
}

/** Takes over a key that names a variable. A key in the file itself is not used. */
function putKey(
  value: string,
  {
    path,
    config,
    field: { rewriter },
  }: {
    readonly path: FieldPath
    readonly config: Record<string, Json>
    readonly field: FieldContext
  },
): void {
  if (/^\$\{\w+\}$/u.test(value)) {
    config['apiKey'] = value
    return
  }
  const reason = 'keys are read from variables, not from cards'
  rewriter.note({ key: dottedPath(path), ...ignored(reason) })
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `\`${dottedPath(path)}\` has no effect: ${reason}.`,
    at: path,
    fix: `Move the key to the variable ${String(path.at(-1))}, and write \`env://${String(path.at(-1))}\`.`,
  })
}

function ollamaUrl(host: string): string {
  return /\/api\/?$/u.test(host) ? host : `${host.replace(/\/$/u, '')}/api`
}

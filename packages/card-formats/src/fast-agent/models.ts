import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import {
  dottedPath,
  putModels,
  type FieldContext,
  type FieldOutcome,
  type ModelMapping,
} from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'
import { FAST_AGENT_MODELS } from './model-aliases.ts'
import { projectOf, settingAt, type FastAgentProject } from './project.ts'
import { defaultReasoning, prefixOf, providerOf, putProvider } from './providers.ts'

/** A model name of fast-agent in Troupe's terms. */
interface FastAgentModel {
  readonly id: string
  /** The prefix that the name has or stands for. */
  readonly prefix: string | undefined
  /** Settings behind the `?` of the name, without those that the id contains. */
  readonly params: URLSearchParams
}

const LEVEL = /^(?<name>.+)\.(?<level>none|minimal|low|medium|high|xhigh|max)$/u
const MAX_REFERENCES = 16

/** Sets the model of the card, and the sampling settings that its name contains. */
export function putFastAgentModel(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  const { modelWords: configured = NO_NAMES } = card
  const project = projectOf(card)
  const read = (name: string): ModelMapping => {
    const model = resolveReference(name, project)
    if (model === undefined) return unresolved(name, field)
    const { id, prefix } = readModel(model, { project, configured })
    if (prefix !== undefined) putProvider(prefix, field)
    return { id }
  }
  const outcome = putModels(value, { to: ['model'], read }, field)
  const name = isText(value) ? resolveReference(value.trim(), project) : undefined
  if (name !== undefined)
    for (const [key, text] of readModel(name, { project, configured }).params) {
      const to = SAMPLING.get(key)
      const number = Number(text)
      if (to === undefined || Number.isNaN(number))
        rewriter.note({ key: `${dottedPath(from)}?${key}`, status: 'ignored', reason: NOT_SENT })
      else if (!isSet(card.fields['request_params'], key) && rewriter.get([to]) === undefined)
        rewriter.put([to], number, from)
    }
  return outcome
}

const NO_NAMES: ReadonlySet<string> = new Set()
const NOT_SENT = 'this setting is not sent to providers'
const SAMPLING: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['temp', 'temperature'],
  ['top_p', 'topP'],
  ['max_tokens', 'maxOutputTokens'],
])

function isSet(params: Json | undefined, key: string): boolean {
  const camelCase = key.replaceAll(/_[a-z]/gu, (found) => found.slice(1).toUpperCase())
  return isJsonObject(params) && (params[key] !== undefined || params[camelCase] !== undefined)
}

const VARIABLE = /\$\{(?<name>[A-Za-z_]\w*)(?::-?(?<fallback>[^}]*))?\}/gu

/** Replaces `${VAR}` and `${VAR:default}`. A variable without a value and a default stays. */
function expandNow(text: string, variables: FastAgentProject['variables']): string {
  return text.replaceAll(
    VARIABLE,
    (written, name: string, fallback?: string) => variables?.get(name) ?? fallback ?? written,
  )
}

/** Follows `$namespace.key` through `model_references`, formerly `model_aliases`. `undefined` if it leads nowhere. */
function resolveReference(
  name: string,
  { settings, variables }: Pick<FastAgentProject, 'settings' | 'variables'>,
): string | undefined {
  let found = expandNow(name, variables)
  for (let step = 0; step < MAX_REFERENCES; step += 1) {
    if (!found.startsWith('$') || found.startsWith('${')) return found
    const path = splitOnce(found.slice(1), '.')
    const next =
      settingAt(settings, ['model_references', ...path]) ?? settingAt(settings, ['model_aliases', ...path])
    if (!isText(next) || next.trim() === '') return undefined
    found = expandNow(next.trim(), variables)
  }
  return undefined
}

function unresolved(name: string, { rewriter, card, from }: FieldContext): ModelMapping {
  const { file } = projectOf(card)
  const reason =
    file === undefined
      ? `the default model, because there is no fast-agent configuration that defines ${name}`
      : `the default model, because ${file.name} does not define ${name}`
  if (file !== undefined)
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `\`${dottedPath(from)}\`: "${name}" is not defined in \`model_references\` of ${file.name}, so the default model is used.`,
      at: from,
    })
  return { default: reason }
}

/** Reads `provider.name`, `name.low`, `name?reasoning=low`, and the short names that fast-agent has. */
function readModel(
  name: string,
  { project, configured }: { readonly project: FastAgentProject; readonly configured: ReadonlySet<string> },
): FastAgentModel {
  const [bare = name, query = ''] = splitOnce(name, '?')
  const whole = FAST_AGENT_MODELS.has(bare) ? undefined : LEVEL.exec(bare)?.groups
  const plain = whole?.['name'] ?? bare
  const isConfigured = configured.has(plain)
  const [target = '', defaults = ''] = isConfigured ? [plain] : splitOnce(aliasTarget(plain), '?')
  const params = new URLSearchParams(defaults)
  for (const [key, value] of new URLSearchParams(query)) params.set(key, value)
  if (whole?.['level'] !== undefined) params.set('reasoning', whole['level'])
  const prefix = isConfigured ? undefined : prefixOf(target)
  const id = isConfigured ? plain : withProvider(target, project)
  const reasoning = params.has('reasoning') ? undefined : defaultReasoning(prefix, id, project.settings)
  if (reasoning !== undefined) params.set('reasoning', reasoning)
  const suffix = suffixOf(params)
  params.delete('reasoning')
  params.delete('structured')
  return { id: `${id}${suffix}`, prefix, params }
}

function aliasTarget(name: string): string {
  return FAST_AGENT_MODELS.get(name) ?? name
}

/** Returns the part of the id behind the name, such as `?reasoning=low`. */
function suffixOf(params: URLSearchParams): string {
  const reasoning = params.get('reasoning')
  const level = reasoning === 'off' || reasoning === 'false' ? 'none' : reasoning
  const isValid =
    level !== null && (/^\d+$/u.test(level) || REASONING_LEVELS.some((known) => known === level))
  const structured = params.get('structured')
  const parts = [
    ...(isValid ? [`reasoning=${level}`] : []),
    ...(structured === null ? [] : [`structured=${structured}`]),
  ]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function withProvider(name: string, { settings }: FastAgentProject): string {
  const [prefix = '', rest] = splitOnce(name, '.')
  if (rest === undefined || prefix.includes('/')) return name
  const provider = providerOf(prefix, settings)
  return provider === undefined ? name : `${provider}/${rest}`
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Returns the model of an agent without one; `undefined` if the configuration sets none. */
export function defaultModel(settings: JsonObject): string | undefined {
  const model = settings['default_model']
  return isText(model) && model.trim() !== '' ? model.trim() : undefined
}

import { isJsonObject, getOwn, type JsonObject, type Json } from '@troupe/schema'
import { type FieldContext, type RawCard, type Translation, textList } from '@troupe/cards/formats'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { settingsOfFile } from '../rules/project-settings.ts'
import { DOCKER_RULES } from './docker-rules.ts'
import { DOCKER_ROWS } from './docker-keys.ts'
import { withGroups } from './put-groups.ts'
import { putPermissions } from './put-permissions.ts'
import { putPrompt } from './put-prompt.ts'

/** Keys of the file that are ignored, with the reason. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  version: 'it is the format version',
  metadata: 'it is catalogue metadata',
  rag: 'it has no effect by itself; toolsets refer to it',
  flavors: 'docker-agent applies them only with `--flavor`',
  evaluators: 'it has no effect by itself; hooks refer to it',
}
/** Keys of the file that apply to every agent. */
const SHARED = ['models', 'mcps', 'providers'] as const
/** Keys of the file that apply to the whole run. They are set on the entry agent and so limit the agents it calls. */
const RUN_KEYS = ['budget', 'runtime', 'workflow'] as const
/** Keys of the file whose entries agents name. */
const GROUPS = ['commands', 'skills', 'toolsets', 'budgets'] as const
const OF_AGENTS: ReadonlySet<string> = new Set([
  'agents',
  'dialect',
  'permissions',
  ...GROUPS,
  ...SHARED,
  ...RUN_KEYS,
])
/** Every key that a file may have besides those of an agent. */
const DOCKER_FILE_KEYS: readonly string[] = [
  'agents',
  'permissions',
  ...GROUPS,
  ...SHARED,
  ...RUN_KEYS,
  ...Object.keys(FILE_KEYS),
]

/** Reports the keys of a file that belong to none of its agents. */
function fileReport(fields: JsonObject): Translation['report'] {
  return Object.keys(fields).flatMap((key) => {
    if (OF_AGENTS.has(key)) return []
    return [
      {
        key: `(file) ${key}`,
        status: 'ignored' as const,
        reason: getOwn(FILE_KEYS, key) ?? 'docker-agent has no such key',
      },
    ]
  })
}

const OWN_KEYS = ['instruction', 'model', 'toolsets', 'sub_agents']

/** Card format of docker-agent: one YAML file per team. */
export const dockerAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'docker-agent',
  product: 'docker-agent',
  pathPatterns: ['*.yaml'],
  needsEntry: true,
  rules: DOCKER_RULES,
  moreRows: DOCKER_ROWS,
  tools: 'none',
  asksForServers: true,
  hasUniqueShape: ({ fields }) =>
    isJsonObject(fields['agents']) &&
    Object.values(fields['agents']).every(
      (agent) => isJsonObject(agent) && OWN_KEYS.some((key) => Object.hasOwn(agent, key)),
    ),
  acceptsValues: ({ fields, body }) => body === undefined && isJsonObject(fields['agents']),
  fileKeys: DOCKER_FILE_KEYS,
  afterKeys: (field) => {
    putPrompt(field)
    putMissingPrompt(field)
    putPermissions(field)
  },
  several,
})

/** Translates every agent of the file. The one named `root`, else the first, is the entry. */
function several(card: RawCard): readonly Translation[] | undefined {
  const { agents } = card.fields
  if (!isJsonObject(agents)) return undefined
  const names = Object.keys(agents)
  const entry = names.includes('root') ? 'root' : names[0]
  const backs = findReturningHandoffs(agents, entry)
  return names.map((name) => {
    const isEntry = name === entry
    const agent = mappingOf(agents[name])
    const back = backs.get(name)
    const keys = [...SHARED, ...(isEntry ? RUN_KEYS : [])]
    const shared = Object.fromEntries(
      keys.flatMap((key) => (key in card.fields ? [[key, card.fields[key] ?? null]] : [])),
    )
    const fields = {
      ...shared,
      ...withGroups(agent, card.fields),
      ...(back === undefined ? {} : { handoffs: withoutReturning(agent['handoffs'] ?? [], back) }),
      // Other agents refer to it by its key.
      name,
      ...(isEntry && names.length > 1 ? { default: true } : {}),
    }
    const translation = dockerAgentFormat.translate({
      ...card,
      fields,
      project: [...(card.project ?? []), settingsOfFile(card, ['permissions'])],
    })
    const report = [
      ...translation.report,
      ...[...(back ?? [])].map(([place, to]) => ({
        key: `handoffs.${place}`,
        status: 'ignored' as const,
        reason: `the answer returns to ${to} automatically`,
      })),
      ...(isEntry ? fileReport(card.fields) : []),
    ]
    return { ...translation, report, at: ['agents', name] }
  })
}

/** Gives a prompt to an agent that has neither a prompt nor a description, which docker-agent runs without. */
function putMissingPrompt({ rewriter }: FieldContext): void {
  if ([['instruction'], ['description']].some((path) => textOf(rewriter.get(path)).trim() !== '')) return
  const prompt = `You are ${textOf(rewriter.get(['name']), 'an agent')}.`
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], prompt, ['instruction'])
  rewriter.note({ key: '(no prompt)', status: 'translated', to: `instruction: ${prompt}` })
}

/**
 * Handoffs of each agent that lead back to one of its callers: index in `handoffs` and the caller's name, by
 * agent. They are dropped, because the answer returns to the caller anyway and cycles are an error.
 */
type ReturningHandoffs = ReadonlyMap<string, ReadonlyMap<number, string>>

interface HandoffStep {
  readonly name: string
  readonly calls: Iterator<HandoffCall>
}

interface HandoffCall {
  readonly to: string
  /** Index in `handoffs`; `undefined` for `sub_agents`. */
  readonly place?: number
}

/** Finds handoffs that lead back, following the calls of a file from the entry agent. */
export function findReturningHandoffs(agents: JsonObject, entry: string | undefined): ReturningHandoffs {
  const found = new Map<string, Map<number, string>>()
  const seen = new Set<string>()
  for (const start of [entry ?? '', ...Object.keys(agents)]) {
    const callPath: HandoffStep[] = []
    const enter = (name: string): void => {
      seen.add(name)
      callPath.push({ name, calls: callsOf(getOwn(agents, name)).values() })
    }
    if (!seen.has(start)) enter(start)
    for (let step = callPath.at(-1); step !== undefined; step = callPath.at(-1)) {
      const next = step.calls.next()
      if (next.done === true) {
        callPath.pop()
        continue
      }
      const { to, place } = next.value
      if (place !== undefined && callPath.some(({ name }) => name === to))
        found.set(step.name, (found.get(step.name) ?? new Map<number, string>()).set(place, to))
      else if (!seen.has(to)) enter(to)
    }
  }
  return found
}

function callsOf(agent: Json | undefined): readonly HandoffCall[] {
  const { sub_agents: children, handoffs } = mappingOf(agent)
  return [
    ...(textList(children ?? [], []) ?? []).map(({ text: to }) => ({ to })),
    ...(textList(handoffs ?? [], []) ?? []).map(({ text: to }, place) => ({ to, place })),
  ]
}

/** Blanks out the handoffs that lead back, so that the indexes of the others stay the same. */
function withoutReturning(handoffs: Json, back: ReadonlyMap<number, string>): readonly Json[] {
  const names = textList(handoffs, []) ?? []
  return names.map(({ text }, place): Json => (back.has(place) ? '' : text))
}

import { type Json, type JsonObject } from '@troupe/schema'
import { addToList, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'

/** A rule or a reference of an agent. */
export interface AgentText {
  readonly kind: 'rule' | 'reference'
  readonly name: string
  readonly description: string
  readonly text: string
  readonly include: 'always' | 'manual' | 'agent'
  /** From 0 to 999. Lower numbers come first. */
  readonly priority: number
  readonly at: FieldPath
}

const DEFAULT_PRIORITY = 500
const HEADS = { reference: 'Reference', rule: 'Rule' } as const
const MENTIONS = { reference: '@ref', rule: '@rule' } as const

/** Reads the entries of `rules` or `references`. Entries without a text and disabled ones are left out. */
export function readTexts(value: Json, kind: AgentText['kind'], from: FieldPath): readonly AgentText[] {
  const entries = Array.isArray(value) ? (value as readonly Json[]).map(mappingOf) : []
  return entries.flatMap((entry, index) => toText(entry, { kind, at: [...from, index] }) ?? [])
}

/** Reads one entry, or returns `undefined` if it has no text or is disabled. */
export function toText(
  entry: JsonObject,
  { kind, at }: Pick<AgentText, 'kind' | 'at'>,
): AgentText | undefined {
  const { text, include, enabled, description, priorityLevel } = entry
  if (!isText(text) || text.trim() === '' || enabled === false) return undefined
  const priority = Number(priorityLevel ?? DEFAULT_PRIORITY)
  return {
    kind,
    at,
    text,
    name: textOf(entry['name'], `${kind} ${String(at.at(-1))}`),
    description: textOf(description),
    include: include === 'always' || include === 'agent' ? include : 'manual',
    priority: Number.isFinite(priority) ? priority : DEFAULT_PRIORITY,
  }
}

/**
 * Adds rules and references to the agent: those that are always included to its prompt, references first, and
 * all others as skills, which the model reads on demand.
 */
export function putTexts(texts: readonly AgentText[], prompt: string, field: FieldContext): void {
  const { rewriter, grant, card } = field
  const sorted = ['reference', 'rule'].flatMap((kind) =>
    texts.filter((text) => text.kind === kind).toSorted((a, b) => a.priority - b.priority),
  )
  const always = sorted.filter(({ include }) => include === 'always')
  const parts = [prompt, ...always.map(({ kind, text }) => `${HEADS[kind]}: ${text.trim()}`)]
  const [first] = always
  if (first !== undefined) {
    const from = rewriter.get(['instruction']) === undefined ? first.at : rewriter.originOf(['instruction'])
    rewriter.remove(['instruction'])
    rewriter.put(['instruction'], parts.join('\n\n').trim(), from)
  }
  const onDemand = sorted.filter(({ include }) => include !== 'always')
  const names = new Set<string>()
  for (const text of onDemand)
    addToList(rewriter, { to: ['skills'], values: [toSkill(text, names)], from: text.at })
  const [skill] = onDemand
  if (skill === undefined) return
  grant.allow(['skill.read'], skill.at)
  if (mappingOf(card.fields['settings'])['toolPermission'] === 'always')
    addToList(rewriter, { to: ['permissions', 'allow'], values: ['skill.read'], from: skill.at })
}

const MAX_NAME = 64
const MAX_DESCRIPTION = 900

function toSkill(entry: AgentText, names: Set<string>): JsonObject {
  const { kind, include, text } = entry
  const description = (entry.description.trim() || entry.name).slice(0, MAX_DESCRIPTION)
  const mention = `${MENTIONS[kind]}:${entry.name}`
  return {
    name: skillName(entry, names),
    description:
      include === 'agent'
        ? description
        : `${description} (Read it only if a message mentions ${mention.slice(0, MAX_NAME)}.)`,
    text,
  }
}

/** Returns a name that is valid for a skill and not taken yet. */
function skillName({ name, kind }: AgentText, names: Set<string>): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, MAX_NAME - 12)
    .replaceAll(/^-|-$/gu, '')
  let found = plain || kind
  for (let count = 1; names.has(found); count += 1)
    found = count === 1 ? `${kind}-${plain}` : `${kind}-${plain}-${count}`
  names.add(found)
  return found
}

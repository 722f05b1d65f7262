import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, textList, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import { dropWithWarning, ignored, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { goDuration } from './go-duration.ts'

/** Keys that name groups of the file, with the key of an agent and of the file that the groups belong to. */
const GROUPS = { use_commands: 'commands', use_skills: 'skills', use_toolsets: 'toolsets' } as const

/** Returns the keys of an agent with the groups of the file that it names. Names without a group are kept. */
export function withGroups(agent: JsonObject, file: JsonObject): JsonObject {
  const fields: Record<string, Json> = { ...agent }
  for (const [use, key] of Object.entries(GROUPS)) {
    const names = (textList(agent[use] ?? [], []) ?? []).map(({ text }) => text)
    const groups = names.flatMap((name) => getOwn(mappingOf(file[key]), name) ?? [])
    if (names.length > 0) fields[use] = names.filter((name) => !Object.hasOwn(mappingOf(file[key]), name))
    if (groups.length > 0)
      fields[key] =
        key === 'commands'
          ? Object.assign({}, ...groups.map(commandsOf), commandsOf(agent[key] ?? {}))
          : [...listOf(agent[key]), ...groups.flatMap((group) => listOf(group))]
  }
  const budgets = textList(agent['budgets'] ?? [], [])
  if (agent['budgets'] !== undefined && budgets !== undefined)
    fields['budgets'] = Object.fromEntries(
      budgets.map(({ text }) => [text, getOwn(mappingOf(file['budgets']), text) ?? null]),
    )
  return fields
}

function listOf(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[]
  return value === undefined || value === null ? [] : [value]
}

/** Returns commands by name. They may also be written as a list of mappings. */
export function commandsOf(value: Json): JsonObject {
  return Array.isArray(value)
    ? Object.assign({}, ...(value as readonly Json[]).map(mappingOf))
    : mappingOf(value)
}

/** Reports the names of groups that the file does not define. */
export function reportMissingGroups(value: Json, field: FieldContext): FieldOutcome {
  const names = (textList(value, field.from) ?? []).map(({ text }) => text)
  if (names.length === 0) return undefined
  const reason = `the file does not define ${names.join(', ')}`
  dropWithWarning(reason).apply?.(value, field)
  return ignored(reason)
}

/** Sets the limits of the named budgets, the lowest of each kind. A name without a budget is an error. */
export function putBudgets(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, from } = field
  for (const [name, budget] of Object.entries(mappingOf(value))) {
    if (isJsonObject(budget)) putBudget(budget, field)
    else
      rewriter.addProblem({
        code: 'card_bad_value',
        message: `\`${dottedPath(from)}\`: the file defines no budget "${name}".`,
        at: from,
        fix: 'Define it in `budgets` of the file, or remove the name.',
      })
  }
  return undefined
}

/** Sets the limits of a budget. Each keeps its value if that is lower. */
export function putBudget(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const { max_cost: maxCost, max_tokens: maxTokens, max_time: time } = mappingOf(value)
  const limits = { maxCost, maxTokens, timeout: goDuration(time) ?? time }
  for (const [to, limit] of Object.entries(limits)) {
    // 0 means no limit in docker-agent.
    if (limit === undefined || limit === null || limit === 0) continue
    const present = rewriter.get(['limits', to])
    if (typeof present === 'number' && typeof limit === 'number' && present <= limit) continue
    rewriter.remove(['limits', to])
    rewriter.put(['limits', to], limit, from)
  }
  return undefined
}

/** Adds the skills that the file itself defines. Others are found in folders, which the file does not name. */
export function putSkills(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, grant, from } = field
  const entries = listOf(value)
  const skills = entries.filter(isJsonObject)
  const inline = skills.map(({ name, description, instructions }) => ({
    name: textOf(name),
    description: textOf(description),
    text: textOf(instructions),
  }))
  if (inline.length > 0) {
    rewriter.put(['skills'], inline, from)
    grant.allow(['skill.read'], from)
  }
  if (skills.some(({ context }) => context === 'fork'))
    dropWithWarning('a skill is read by the agent itself, not run by another one').apply?.(value, {
      ...field,
      from: [...from, 'context'],
    })
  const isElsewhere = entries.some((entry) => entry !== false && !isJsonObject(entry))
  if (isElsewhere)
    dropWithWarning(
      'skills are not searched for; list their folders under `skills` of a Troupe card',
    ).apply?.(value, field)
  if (inline.length > 0) return translated('skills', inline.map(({ name }) => name).join(', '))
  return ignored(isElsewhere ? 'skills are not searched for' : 'there are none')
}

import { isJsonObject, type AgentTool, type Json, type JsonObject } from '@troupe/schema'
import { parsePromptTemplate, templateProblems } from '@troupe/tools/prompt-template'
import type { DraftParameter, DraftProblem, DraftSchema, DraftTool } from './draft.ts'
import { BOUNDS } from './to-draft.ts'

/**
 * A tool read from a draft, and the problems that prevent it from being saved. The tool is always usable for
 * a preview.
 */
interface DraftConversion {
  readonly tool: AgentTool
  readonly problems: readonly DraftProblem[]
}

const MAX_NAME_LENGTH = 64

/** Converts a draft to a tool. `others` are the names of the agent's other tools. */
export function fromDraft(draft: DraftTool, others: readonly string[] = []): DraftConversion {
  const name = draft.name.trim()
  const problems: DraftProblem[] = []
  const add = (key: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ key, message })
  }
  add('name', nameProblem(name, others))
  if (draft.description.trim() === '')
    add('description', 'Describe what the tool does. Models use the description to choose a tool.')
  const parameters = {
    type: 'object',
    ...draft.unsupportedKeywords,
    ...toProperties(draft.parameters, { add, parameterId: '' }),
  }
  const tool = {
    name,
    description: draft.description.trim(),
    parameters: parameters as unknown as AgentTool['parameters'],
    prompt: draft.prompt,
  }
  add('prompt', promptProblem(tool))
  return { tool, problems }
}

/** Returns the key of a problem: the id of the parameter, and the field. */
export function problemKey(parameterId: string, field: string): string {
  return `${parameterId} ${field}`
}

interface Reporting {
  add(key: string, message: string | undefined): void
  /** The id of the current parameter. */
  readonly parameterId: string
}

function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (name === '') return 'Enter a name.'
  if (name.length > MAX_NAME_LENGTH) return `A name has at most ${MAX_NAME_LENGTH} characters.`
  return others.includes(name) ? `Another tool is already named ${name}.` : undefined
}

function promptProblem({ name, description, prompt, parameters }: AgentTool): string | undefined {
  if (prompt.trim() === '') return 'Enter the prompt for the agent.'
  const subject = { tool: { name, description }, parameters: parameters as unknown as JsonObject }
  const [unknown] = templateProblems(parsePromptTemplate(prompt), subject)
  return unknown === undefined ? undefined : `${unknown.placeholder} is not a parameter.`
}

function toProperties(members: readonly DraftParameter[], reporting: Reporting): JsonObject {
  const names = members.map(({ name }) => name)
  for (const [index, { id, name }] of members.entries()) {
    if (name.trim() === '') reporting.add(problemKey(id, 'name'), 'Enter a name.')
    else if (names.indexOf(name) < index) reporting.add(problemKey(id, 'name'), 'This name is already used.')
  }
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    ...(members.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            members.map(({ id, name, schema }) => [
              name,
              toSchema(schema, { ...reporting, parameterId: id }),
            ]),
          ),
        }),
    ...(required.length === 0 ? {} : { required }),
  }
}

function toSchema(draft: DraftSchema, reporting: Reporting): Json {
  if (draft.kind === 'other') return toOther(draft, reporting)
  const { kind, description, isUnique, items, members, unsupportedKeywords } = draft
  return {
    type: kind,
    ...(description === '' ? {} : { description }),
    ...unsupportedKeywords,
    ...(items === undefined
      ? {}
      : { items: toSchema(items, { ...reporting, parameterId: `${reporting.parameterId}.i` }) }),
    ...(kind === 'object' ? toProperties(members, reporting) : {}),
    ...toValues(draft, reporting),
    ...toBounds(draft, reporting),
    ...(isUnique ? { uniqueItems: true } : {}),
  }
}

function toOther({ json }: DraftSchema, { add, parameterId }: Reporting): Json {
  const value = readJson(json)
  if (isJsonObject(value) || typeof value === 'boolean') return value
  add(problemKey(parameterId, 'json'), 'This is not a JSON Schema. Enter an object: { … }.')
  return {}
}

function toValues(draft: DraftSchema, { add, parameterId }: Reporting): JsonObject {
  const { values, initial, examples } = draft
  const read = (text: string, field: string): Json => {
    const value = readValue(text, draft)
    if (value === undefined)
      add(
        problemKey(parameterId, field),
        `${text === '' ? 'An empty value' : text} is not of type ${draft.kind}.`,
      )
    return value ?? text
  }
  const allowed = values.map((text) => read(text, 'values'))
  const fallback = initial === undefined ? undefined : read(initial, 'initial')
  if (fallback !== undefined && allowed.length > 0 && !allowed.includes(fallback))
    add(problemKey(parameterId, 'initial'), 'The default is not one of the allowed values.')
  return {
    ...(allowed.length === 0 ? {} : { enum: allowed }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(examples.length === 0 ? {} : { examples: examples.map((text) => read(text, 'examples')) }),
  }
}

function toBounds({ kind, minimum, maximum }: DraftSchema, { add, parameterId }: Reporting): JsonObject {
  const [minimumKey, maximumKey] = BOUNDS[kind] ?? []
  if (minimumKey === undefined || maximumKey === undefined) return {}
  const isCount = kind === 'string' || kind === 'array'
  const read = (text: string, field: string): number | undefined => {
    if (text.trim() === '') return undefined
    const value = Number(text)
    if (Number.isFinite(value) && (!isCount || (Number.isInteger(value) && value >= 0))) return value
    add(problemKey(parameterId, field), isCount ? 'Enter an integer of 0 or more.' : 'Enter a number.')
    return undefined
  }
  const low = read(minimum, 'minimum')
  const high = read(maximum, 'maximum')
  if (low !== undefined && high !== undefined && low > high)
    add(problemKey(parameterId, 'maximum'), 'The maximum is less than the minimum.')
  return {
    ...(low === undefined ? {} : { [minimumKey]: low }),
    ...(high === undefined ? {} : { [maximumKey]: high }),
  }
}

/** Parses the value in a field. Returns `undefined` if it does not match the kind. */
function readValue(text: string, { kind }: DraftSchema): Json | undefined {
  switch (kind) {
    case 'string':
      return text
    case 'number':
    case 'integer': {
      const value = Number(text)
      const fits =
        text.trim() !== '' && (kind === 'integer' ? Number.isInteger(value) : Number.isFinite(value))
      return fits ? value : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    default: {
      const value = readJson(text)
      return (kind === 'array' ? Array.isArray(value) : isJsonObject(value)) ? value : undefined
    }
  }
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Incomplete input: the caller reports it.
    return undefined
  }
}

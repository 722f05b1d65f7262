import { posix } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  createRewriter,
  type FieldContext,
  type ProjectSettings,
  type RawCard,
  type Translation,
} from '@troupe/cards/formats'
import { CREWAI_RULES, TASK_KEYS } from './crewai-rules.ts'
import { createCardFormat } from '../rules/create-card-format.ts'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { nestedRows, reportNestedKeys } from '../rules/nested-keys.ts'

/** Key that carries the tasks of an agent, which are in another file. */
const TASKS = '(tasks)'

/** Card format of CrewAI: `agents.yaml`, with the tasks of `tasks.yaml` beside it. */
export const crewaiFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'crewai',
  product: 'CrewAI',
  pathPatterns: ['agents.yaml'],
  needsEntry: true,
  rules: CREWAI_RULES,
  moreRows: nestedRows('tasks.yaml: *', TASK_KEYS),
  tools: 'none',
  isByPathOnly: true,
  matchesProject: ({ path, fields }) => /(?:^|\/)agents\.ya?ml$/u.test(path) && isAgents(fields),
  hasUniqueShape: ({ fields }) => isAgents(fields),
  afterKeys: putPrompt,
  projectFiles: (path) => ['yaml', 'yml'].map((ending) => posix.join(posix.dirname(path), `tasks.${ending}`)),
  several,
})

function isAgents(fields: JsonObject): boolean {
  const agents = Object.values(fields)
  return (
    agents.length > 0 && agents.every((agent) => isJsonObject(agent) && 'role' in agent && 'goal' in agent)
  )
}

/** A task with the agent that does it. */
interface Task {
  readonly name: string
  readonly task: JsonObject
}

/** Translates the agents, or one agent per task and a chain of them if there are tasks. */
function several(card: RawCard): readonly Translation[] | undefined {
  if (!isAgents(card.fields)) return undefined
  const settings = card.project?.find(({ fields }) => Object.keys(fields).length > 0)
  const tasks = Object.entries(settings?.fields ?? {}).map(([name, task]) => ({
    name,
    task: mappingOf(task),
  }))
  if (tasks.length === 0)
    return Object.entries(card.fields).map(([name, agent]) =>
      translateAgent(name, mappingOf(agent), { card }),
    )
  const unpaired = tasks.filter(({ task }) => !Object.hasOwn(card.fields, textOf(task['agent'])))
  if (unpaired.length > 0) return [refusal(unpaired)]
  const agents = tasks.map(({ name, task }) => {
    const agent = textOf(task['agent'])
    const translation = translateAgent(
      name,
      { ...mappingOf(card.fields[agent]), [TASKS]: task },
      { card, agent },
    )
    return withTaskReport(translation, { name, task }, settings)
  })
  return [chain(tasks, card), ...agents]
}

function translateAgent(
  name: string,
  fields: JsonObject,
  { card, agent = name }: { readonly card: RawCard; readonly agent?: string },
): Translation {
  const { [TASKS]: task, ...keys } = fields
  const translation = crewaiFormat.translate({ ...card, fields: keys, project: [] })
  const prompt = [
    textOf(translation.fields['instruction']),
    ...taskLines(mappingOf(task)),
    ...explain(fields),
  ]
  return {
    ...translation,
    fields: {
      ...translation.fields,
      name,
      instruction: prompt.join('\n\n'),
      ...(task === undefined ? inputOf(fields) : {}),
    },
    at: [agent],
  }
}

/** Adds the report of the keys of a task, with positions in the file of the tasks. */
function withTaskReport(
  translation: Translation,
  { name, task }: Task,
  settings: ProjectSettings | undefined,
): Translation {
  const rewriter = createRewriter({ fields: {}, report: [], sameValue: () => false })
  const label = `tasks.yaml: ${name}`
  reportNestedKeys(task, TASK_KEYS, { product: 'CrewAI', field: { rewriter }, label, at: [] })
  const { report, problems } = rewriter.finish()
  const position = settings?.positionOf([name])
  const place =
    position === undefined || settings === undefined ? undefined : { file: settings.file, ...position }
  return {
    ...translation,
    report: [...translation.report, ...report],
    problems: [
      ...translation.problems,
      ...problems.map((problem) => (place === undefined ? problem : { ...problem, place })),
    ],
  }
}

function putPrompt({ rewriter, grant, card: { fields } }: FieldContext): void {
  const [role, goal, backstory] = ['role', 'goal', 'backstory'].map((key) => textOf(fields[key]).trim())
  rewriter.put(['description'], goal ?? '', ['goal'])
  grant.limit()
  rewriter.put(['instruction'], `You are ${role}. ${backstory}\n\nYour goal: ${goal}`, ['role'])
}

function taskLines(task: JsonObject): readonly string[] {
  if (task['description'] === undefined) return []
  const description = `Your task: ${textOf(task['description']).trim()}`
  const output = textOf(task['expected_output']).trim()
  return [
    description,
    ...(output === '' ? [] : [`Expected output: ${output}`]),
    ...(task['markdown'] === true ? ['Write the answer in Markdown.'] : []),
  ]
}

/** The agents of the tasks in order. Each reads the input and the answers before it. */
function chain(tasks: readonly Task[], { fields }: RawCard): Translation {
  const name =
    Object.hasOwn(fields, 'crew') || tasks.some((task) => task.name === 'crew') ? 'crew-tasks' : 'crew'
  return {
    fields: {
      name,
      description: 'Does the tasks of the crew in order.',
      type: 'chain',
      sequence: tasks.map((task) => task.name),
      cumulative: true,
      default: true,
      ...inputOf({ ...fields, [TASKS]: tasks.map(({ task }) => task) }),
    },
    report: [{ key: 'tasks.yaml', status: 'translated', to: 'a chain in the order of the file' }],
    problems: [],
    origins: new Map(),
  }
}

function refusal(tasks: readonly Task[]): Translation {
  const names = tasks.map(({ name }) => name).join(', ')
  return {
    fields: { name: 'crew', description: 'Does the tasks of the crew.', instruction: names },
    report: [],
    problems: [
      {
        code: 'card_unsupported',
        message: `These tasks of tasks.yaml name no agent: ${names}. CrewAI reads that from crew.py, which is not run.`,
        fix: 'Add `agent: NAME` to each task in tasks.yaml.',
      },
    ],
    origins: new Map(),
  }
}

const VALUE = /\{(?<name>[A-Za-z_]\w*)\}/gu

/** Returns the names of the values that a text takes from the input, such as `{topic}`. */
function valuesIn(value: Json): readonly string[] {
  const text = JSON.stringify(value)
  return [...new Set([...text.matchAll(VALUE)].map(({ groups }) => groups?.['name'] ?? ''))]
}

function explain(fields: JsonObject): readonly string[] {
  const names = valuesIn(fields).map((name) => `{${name}}`)
  return names.length === 0 ? [] : [`The values of ${names.join(', ')} are in the input.`]
}

function inputOf(fields: JsonObject): JsonObject {
  const names = valuesIn(fields)
  if (names.length === 0) return {}
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { input: { format: 'json', schema: { type: 'object', properties, required: [...names] } } }
}

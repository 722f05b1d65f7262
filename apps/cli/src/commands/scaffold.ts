import { relative, resolve, join } from 'node:path'
import { existsSync } from 'node:fs'
import { troupeError, type JsonObject, type AgentType } from '@troupe/schema'
import { AGENT_TYPES } from '@troupe/schema/agent-keys'
import { cardJsonSchema, parseCard } from '@troupe/cards'
import { configJsonSchema } from '@troupe/host'
import { scriptJsonSchema } from '@troupe/models'
import { CARD_FORMATS } from '@troupe/card-formats'
import { dump } from 'js-yaml'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { writeFiles } from './write-files.ts'

/** Runs `troupe schema <kind>`: prints a JSON Schema for editors. */
export function schemaCommand(name: string, { terminal }: CommandContext): number {
  const kind = SCHEMA_KINDS.find((known) => known === name)
  if (kind === undefined)
    throw troupeError(
      'usage_invalid',
      `There is no schema "${name}". Use one of: ${SCHEMA_KINDS.join(', ')}.`,
    )
  terminal.stdout.write(editorSchema(kind))
  return EXIT.completed
}

/** Paths of the editor schemas, stored beside the team so that they match the version that reads it. */
const CARD_SCHEMA = './.troupe/card.schema.json'
const CONFIG_SCHEMA = './.troupe/config.schema.json'
const SCRIPT_SCHEMA = './.troupe/script.schema.json'

/** Kinds of files that have a schema. */
const SCHEMA_KINDS = ['card', 'config', 'script'] as const

type EditorSchemaKind = (typeof SCHEMA_KINDS)[number]

const SCHEMAS: Readonly<Record<EditorSchemaKind, () => JsonObject>> = {
  card: cardJsonSchema,
  config: configJsonSchema,
  script: scriptJsonSchema,
}

/** Returns the JSON Schema of a kind of file, as text. */
function editorSchema(kind: EditorSchemaKind): string {
  return `${JSON.stringify(SCHEMAS[kind](), null, 2)}\n`
}

/** Returns all schemas by path. */
function schemaFiles(): Readonly<Record<string, string>> {
  return {
    [CARD_SCHEMA]: editorSchema('card'),
    [CONFIG_SCHEMA]: editorSchema('config'),
    [SCRIPT_SCHEMA]: editorSchema('script'),
  }
}

/**
 * Runs `troupe init [folder]`: writes a small team that runs without a key. Writes nothing if one of the
 * files exists.
 */
export function initCommand(folder: string, { cwd, terminal }: CommandContext): number {
  const target = resolve(cwd, folder)
  const paths = writeFiles(target, { ...TEAM_FILES, ...schemaFiles() })
  for (const path of paths) terminal.stdout.write(`${relative(cwd, path)}\n`)
  const folderPath = relative(cwd, target)
  const command = folderPath === '' ? 'troupe run .' : `cd ${folderPath} && troupe run .`
  terminal.stderr.write(
    `\nCreated a team of three agents. A script stands in for the model, so you need no key.\n\n  ${command}\n\n`,
  )
  return EXIT.completed
}

/** Files of a small example team, by path. Its model is a script, so it runs without a key. */
const TEAM_FILES: Readonly<Record<string, string>> = {
  'lead.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: lead
description: Answers whether the library is open.
usage: Is the library open today?
default: true
agents:
  - librarian
  - clerk
---
Ask the librarian for the opening hours and the clerk for the day, both at once.
Then say in one sentence whether the library is open.
`,
  'librarian.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: librarian
description: Knows when the library is open.
usage: opening hours
functionTools:
  - library.ts:openingHours
---
Look up the opening hours and repeat them.
`,
  'clerk.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: clerk
description: Knows the current weekday.
usage: what day is it?
functionTools:
  - library.ts:today
---
Look up the day and say it.
`,
  'library.ts': `// A card uses a function as a tool by naming it, as in \`library.ts:today\`. No build step is needed.

export function today(): string {
  return new Date().toLocaleDateString('en-GB', { weekday: 'long' })
}
today.description = 'The day of the week.'

export function openingHours(): string {
  return 'Monday to Friday from 9 to 18, Saturday from 10 to 14'
}
openingHours.description = 'When the library is open.'
`,
  'script.yaml': `# yaml-language-server: $schema=${SCRIPT_SCHEMA}
# The answers of each agent's model, turn by turn. Tools and agents named here are really called.
agents:
  lead:
    - call:
        - { tool: agent__librarian, args: { text: opening hours } }
        - { tool: agent__clerk, args: { text: what day is it? } }
    - say: '{{results.1.text}} {{results.0.text}}'
  librarian:
    - call: [{ tool: openingHours, args: {} }]
    - say: 'The library is open {{results.0.text}}.'
  clerk:
    - call: [{ tool: today, args: {} }]
    - say: 'Today is {{results.0.text}}.'
`,
  'troupe.json': `{
  "$schema": "${CONFIG_SCHEMA}",
  "defaults": { "model": "script/script.yaml" }
}
`,
  'troupe.env.example': `# Copy this file to troupe.env, which applies to every agent of this folder and is ignored by git.
OPENAI_API_KEY=
ANTHROPIC_API_KEY=
`,
  '.gitignore': 'troupe.env\n',
  'README.md': `# A team of three agents

\`lead.md\` asks \`librarian.md\` and \`clerk.md\` in parallel. Each of them has a function of \`library.ts\` as its tool.

    troupe run . "Is the library open today?"   # run the team
    troupe check .                              # show its agents, tools and problems
    troupe new archivist                        # add an agent
    troupe run clerk.md --help                  # show every key that a card can have

You need no key, because \`script.yaml\` stands in for the model. To use a model of a provider instead:

    cp troupe.env.example troupe.env            # then add your key
    troupe run . --model openai/gpt-5-mini "Is the library open today?"

To always use that model, set \`defaults.model\` in \`troupe.json\`.
`,
}

export interface NewOptions {
  readonly dir?: string
  readonly type?: string
  readonly description?: string
  readonly model?: string
  readonly agents?: readonly string[]
}

/** Runs `troupe new <name>`: writes a new card to fill in. */
export function newCommand(
  fileName: string,
  { dir = '.', type = 'agent', description, model, agents = [] }: NewOptions,
  { cwd, terminal }: CommandContext,
): number {
  const folder = resolve(cwd, dir)
  const name = fileName.replace(/\.md$/u, '')
  const text = newCard({ name, type: type as AgentType, description, model, agents }, folder)
  const [path = ''] = writeFiles(folder, { [`${name}.md`]: text })
  const file = relative(cwd, path)
  terminal.stdout.write(`${file}\n`)
  terminal.stderr.write(`\nWrite its prompt, then:\n\n  troupe check ${file}\n  troupe run ${file} "…"\n\n`)
  return EXIT.completed
}

interface NewCard {
  readonly name: string
  readonly type: AgentType
  readonly description?: string | undefined
  readonly model?: string | undefined
  /** Children of the agent, or the agents that a composition runs. */
  readonly agents: readonly string[]
}

const PLACEHOLDERS: Readonly<Record<AgentType, readonly string[]>> = {
  agent: [],
  chain: ['first', 'second'],
  parallel: ['one', 'two'],
  router: ['one', 'two'],
  orchestrator: ['one', 'two'],
  evaluator_optimizer: ['writer', 'critic'],
  voting: ['worker'],
}

/**
 * Returns the text of a new card in a folder. Throws `usage_invalid` for an unknown type or an invalid name.
 */
function newCard(card: NewCard, folder: string): string {
  if (!AGENT_TYPES.includes(card.type)) {
    throw troupeError(
      'usage_invalid',
      `There is no agent type "${card.type}". Use one of: ${AGENT_TYPES.join(', ')}.`,
    )
  }
  const text = cardText(card, folder)
  const problem = parseCard(text, { path: `${card.name}.md`, formats: CARD_FORMATS }).problems.find(
    ({ severity }) => severity === 'error',
  )
  if (problem === undefined) return text
  throw troupeError('usage_invalid', problem.message, {
    fix: problem.fix ?? 'Choose another name.',
  })
}

function cardText(card: NewCard, folder: string): string {
  const schema = existsSync(join(folder, CARD_SCHEMA))
    ? [`# yaml-language-server: $schema=${CARD_SCHEMA}`]
    : []
  const fields = {
    name: card.name,
    description: card.description ?? 'What this agent does. Callers read this.',
    usage: 'an example input',
    ...(card.type === 'agent' ? {} : { type: card.type }),
    ...(card.model === undefined ? {} : { model: card.model }),
    ...membersOf(card),
  }
  return [
    '---',
    ...schema,
    dump(fields, { lineWidth: -1 }).trimEnd(),
    '---',
    ...(card.type === 'agent'
      ? ['Describe what the agent does, step by step, and the format of its answer.']
      : []),
    '',
  ].join('\n')
}

/** Returns the keys that name the agents of a composition. */
function membersOf({ type, agents }: NewCard): Readonly<Record<string, unknown>> {
  const names = agents.length > 0 ? agents : PLACEHOLDERS[type]
  const [generator = 'writer', evaluator = 'critic'] = names
  if (type === 'chain') return { sequence: names }
  if (type === 'parallel') return { fanOut: names }
  if (type === 'evaluator_optimizer') return { generator, evaluator }
  if (type === 'voting') return { worker: names[0] ?? 'worker' }
  return names.length === 0 ? {} : { agents: names }
}

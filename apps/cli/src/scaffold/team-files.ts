import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NextCommand, TeamTemplate } from '../templates/team-template.ts'
import { CARD_SCHEMA, CONFIG_SCHEMA, schemaFiles, SCRIPT_SCHEMA } from './editor-schemas.ts'
import { SCRIPT_MODEL, type TeamModel } from './team-model.ts'
import { KEY_FILE } from './write-files.ts'

/** Model and key variable of the examples for a team with a script. */
const EXAMPLE_MODEL: TeamModel = {
  id: 'openai/gpt-5-mini',
  isScript: false,
  keyVariable: 'OPENAI_API_KEY',
}

/** Returns the files of a new team by path. With `key`, they include the key file. */
export function teamFiles(
  template: TeamTemplate,
  { model, key }: { readonly model: TeamModel; readonly key?: string | undefined },
): Readonly<Record<string, string>> {
  const texts = Object.entries(template.files).map(([path, text]) => [path, withSchema(path, text)] as const)
  const config = { $schema: CONFIG_SCHEMA, defaults: { model: model.id }, ...template.config }
  return {
    ...Object.fromEntries(texts),
    'troupe.json': `${JSON.stringify(config, null, 2)}\n`,
    'README.md': readme(template, model),
    ...schemaFiles(),
    ...(key === undefined || model.keyVariable === undefined
      ? {}
      : { [KEY_FILE]: `${model.keyVariable}=${quoteValue(key)}\n` }),
  }
}

/** Adds the line for editors that names the schema of a card or a script. */
function withSchema(path: string, text: string): string {
  const line = (schema: string): string => `# yaml-language-server: $schema=${schema}\n`
  if (path.endsWith('.md') && text.startsWith('---\n')) return `---\n${line(CARD_SCHEMA)}${text.slice(4)}`
  return path === 'script.yaml' ? `${line(SCRIPT_SCHEMA)}${text}` : text
}

/** Returns the commands to try next. A team with a script also has the one for a real model. */
export function nextCommands(template: TeamTemplate, model: TeamModel): readonly NextCommand[] {
  if (!model.isScript) return template.commands
  const command = runWith(EXAMPLE_MODEL.id, template)
  return [...template.commands, { command, purpose: `use a real model; first ${addKey(EXAMPLE_MODEL)}` }]
}

/** Returns how to add the key of a model, without the shell history. */
export function addKey({ keyVariable }: TeamModel): string {
  return `add ${keyVariable}=… to ${KEY_FILE}`
}

function runWith(model: string, { example }: TeamTemplate): string {
  return `troupe run . --model ${model} "${example}"`
}

function readme(template: TeamTemplate, model: TeamModel): string {
  return [
    `# ${template.title}`,
    template.about,
    commandBlock(template.commands),
    model.isScript ? scriptSection(template) : modelSection(model, template),
    ...(template.more === undefined ? [] : [template.more.trimEnd()]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/u, '\n')
}

function scriptSection(template: TeamTemplate): string {
  return `## Use a real model

\`script.yaml\` stands in for the model, so you need no key. Until you use a real model, the answers are the same for every
message. To use the model of a provider, add your API key to \`${KEY_FILE}\`, such as
\`${EXAMPLE_MODEL.keyVariable}=…\`. Git ignores that file. Then:

${codeBlock([runWith(EXAMPLE_MODEL.id, template)])}

To always use that model, set \`defaults.model\` in \`troupe.json\`.`
}

function modelSection({ id, keyVariable }: TeamModel, template: TeamTemplate): string {
  const key =
    keyVariable === undefined
      ? ''
      : `\nSet its API key as the variable \`${keyVariable}\`, in the shell or in \`${KEY_FILE}\`, which git ignores.`
  return `## The model

The team uses \`${id}\`, which is set as \`defaults.model\` in \`troupe.json\`.${key}
Without a key, use the script of the tests:

${codeBlock([runWith(SCRIPT_MODEL.id, template)])}`
}

function commandBlock(commands: readonly NextCommand[]): string {
  return codeBlock(commands.flatMap(({ command, purpose }) => [`# ${purpose}`, command]))
}

function codeBlock(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n')
}

/** Quotes a value for a sidecar if a plain one would be read differently. */
function quoteValue(value: string): string {
  return /^[\w./+=:@-]+$/u.test(value)
    ? value
    : `"${value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`
}

/** Adds the key file to the `.gitignore` of a folder, unless it has that line. */
export function ignoreKeyFile(folder: string): void {
  const file = join(folder, '.gitignore')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (text.split(/\r?\n/u).some((line) => line.trim() === KEY_FILE)) return
  const isOpen = text !== '' && !text.endsWith('\n')
  writeFileSync(file, `${isOpen ? '\n' : ''}${KEY_FILE}\n`, { flag: 'a' })
}

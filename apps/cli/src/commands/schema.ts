import { troupeError, type JsonObject } from '@troupe/schema'
import { cardJsonSchema } from '@troupe/cards'
import { configJsonSchema } from '@troupe/host'
import { scriptJsonSchema } from '@troupe/models'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

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
export const CARD_SCHEMA = './.troupe/card.schema.json'
export const CONFIG_SCHEMA = './.troupe/config.schema.json'
export const SCRIPT_SCHEMA = './.troupe/script.schema.json'

/** Kinds of files that have a schema. */
const SCHEMA_KINDS = ['card', 'config', 'script'] as const

type EditorSchemaKind = (typeof SCHEMA_KINDS)[number]

const MAKERS: Readonly<Record<EditorSchemaKind, () => JsonObject>> = {
  card: cardJsonSchema,
  config: configJsonSchema,
  script: scriptJsonSchema,
}

/** Returns the JSON Schema of a kind of file, as text. */
function editorSchema(kind: EditorSchemaKind): string {
  return `${JSON.stringify(MAKERS[kind](), null, 2)}\n`
}

/** Returns all schemas by path. */
export function schemaFiles(): Readonly<Record<string, string>> {
  return {
    [CARD_SCHEMA]: editorSchema('card'),
    [CONFIG_SCHEMA]: editorSchema('config'),
    [SCRIPT_SCHEMA]: editorSchema('script'),
  }
}

import { cardJsonSchema } from '@troupe/cards'
import { configJsonSchema } from '@troupe/host'
import { scriptJsonSchema } from '@troupe/models'
import type { JsonObject } from '@troupe/schema'

/** Paths of the editor schemas, stored beside the team so that they match the version that reads it. */
export const CARD_SCHEMA = './.troupe/card.schema.json'
export const CONFIG_SCHEMA = './.troupe/config.schema.json'
export const SCRIPT_SCHEMA = './.troupe/script.schema.json'

/** Kinds of files that have a schema. */
export const SCHEMA_KINDS = ['card', 'config', 'script'] as const

export type EditorSchemaKind = (typeof SCHEMA_KINDS)[number]

const SCHEMAS: Readonly<Record<EditorSchemaKind, () => JsonObject>> = {
  card: cardJsonSchema,
  config: configJsonSchema,
  script: scriptJsonSchema,
}

/** Returns the JSON Schema of a kind of file, as text. */
export function editorSchema(kind: EditorSchemaKind): string {
  return `${JSON.stringify(SCHEMAS[kind](), null, 2)}\n`
}

/** Returns all schemas by path. */
export function schemaFiles(): Readonly<Record<string, string>> {
  return {
    [CARD_SCHEMA]: editorSchema('card'),
    [CONFIG_SCHEMA]: editorSchema('config'),
    [SCRIPT_SCHEMA]: editorSchema('script'),
  }
}

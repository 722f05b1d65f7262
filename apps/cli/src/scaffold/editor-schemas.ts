import { cardJsonSchema } from '@troupe/cards'
import { configJsonSchema } from '@troupe/host'
import { scriptJsonSchema } from '@troupe/models'
import type { JsonObject } from '@troupe/schema'

/** Where a scaffold keeps the schemas for editors: beside the team, so that they are those of the version that reads it. */
export const CARD_SCHEMA = './.troupe/card.schema.json'
export const CONFIG_SCHEMA = './.troupe/config.schema.json'
export const SCRIPT_SCHEMA = './.troupe/script.schema.json'

/** The kinds of file that have a schema. */
export const SCHEMA_KINDS = ['card', 'config', 'script'] as const

/** See {@link SCHEMA_KINDS}. */
export type SchemaKind = (typeof SCHEMA_KINDS)[number]

const MAKERS: Readonly<Record<SchemaKind, () => JsonObject>> = {
  card: cardJsonSchema,
  config: configJsonSchema,
  script: scriptJsonSchema,
}

/** The JSON Schema of a kind of file, as text. */
export function editorSchema(kind: SchemaKind): string {
  return `${JSON.stringify(MAKERS[kind](), null, 2)}\n`
}

/** All of them by their paths. */
export function schemaFiles(): Readonly<Record<string, string>> {
  return {
    [CARD_SCHEMA]: editorSchema('card'),
    [CONFIG_SCHEMA]: editorSchema('config'),
    [SCRIPT_SCHEMA]: editorSchema('script'),
  }
}

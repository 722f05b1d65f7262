import { troupeError } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { editorSchema, SCHEMA_KINDS } from '../scaffold/editor-schemas.ts'

/** Runs `troupe schema <kind>`: prints a JSON Schema for editors. */
export function schemaCommand(name: string, { terminal }: CommandContext): number {
  const kind = SCHEMA_KINDS.find((known) => known === name)
  if (kind === undefined)
    throw troupeError('usage_invalid', `There is no schema "${name}"; known: ${SCHEMA_KINDS.join(', ')}.`)
  terminal.stdout.write(editorSchema(kind))
  return EXIT.completed
}

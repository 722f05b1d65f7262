import { troupeError } from '@troupe/schema'
import { editorSchema, SCHEMA_KINDS } from '../scaffold/editor-schemas.ts'
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

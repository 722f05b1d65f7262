import { relative, resolve } from 'node:path'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { schemaFiles } from '../scaffold/editor-schemas.ts'
import { TEAM_FILES } from '../scaffold/team-files.ts'
import { writeFiles } from '../scaffold/write-files.ts'

/**
 * Runs `troupe init [folder]`: writes a small team that runs without a key. Writes nothing if one of the
 * files exists.
 */
export function initCommand(folder: string, { cwd, terminal }: CommandContext): number {
  const target = resolve(cwd, folder)
  const written = writeFiles(target, { ...TEAM_FILES, ...schemaFiles() })
  for (const path of written) terminal.stdout.write(`${relative(cwd, path)}\n`)
  const way = relative(cwd, target)
  const next = way === '' ? 'troupe run .' : `cd ${way} && troupe run .`
  terminal.stderr.write(`\nA team of three, with a script for its model: no key is needed.\n\n  ${next}\n\n`)
  return EXIT.completed
}

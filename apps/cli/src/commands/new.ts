import { relative, resolve } from 'node:path'
import type { AgentType } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { newCard } from '../scaffold/new-card.ts'
import { writeFiles } from '../scaffold/write-files.ts'

export interface NewOptions {
  readonly dir?: string
  readonly type?: string
  readonly description?: string
  readonly model?: string
  readonly agents?: readonly string[]
}

/** Runs `troupe new <name>`: writes a new card to fill in. */
export function newCommand(
  given: string,
  { dir = '.', type = 'agent', description, model, agents = [] }: NewOptions,
  { cwd, terminal }: CommandContext,
): number {
  const folder = resolve(cwd, dir)
  const name = given.replace(/\.md$/u, '')
  const text = newCard({ name, type: type as AgentType, description, model, agents }, folder)
  const [path = ''] = writeFiles(folder, { [`${name}.md`]: text })
  const file = relative(cwd, path)
  terminal.stdout.write(`${file}\n`)
  terminal.stderr.write(`\nWrite its prompt, then:\n\n  troupe check ${file}\n  troupe run ${file} "…"\n\n`)
  return EXIT.completed
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { addCase, caseFromRun } from '@troupe/evals'
import { troupeError } from '@troupe/schema'
import type { RootRunRecord, RunRequest, RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { withRun, type StoreOptions } from '../run-store/open-store.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

export interface EvalAddOptions extends StoreOptions {
  /** Path of the case file. */
  readonly to: string
  readonly quiet?: boolean
}

/**
 * Runs `troupe eval add RUN`: makes a case of a stored run and adds it to a case file, which is created if it
 * does not exist. Cases in the file stay as they are.
 */
export function evalAddCommand(
  run: string,
  options: EvalAddOptions,
  context: CommandContext,
): Promise<number> {
  return withRun(run, { options, context }, async (root, store) => {
    const { terminal, cwd } = context
    const begin = await readBegin(root, store)
    const draft = caseFromRun({
      events: await store.events(root.rootRunId),
      history: await readHistory(begin, store),
      ...(root.label === undefined ? {} : { label: root.label }),
    })
    const path = resolve(cwd, options.to)
    const { id, text } = addCase(readText(path), draft, options.to)
    writeText(path, text, context)
    terminal.stdout.write(`${plainText(options.to)}: added the case ${id}\n`)
    const left = begin?.attachments?.length ?? 0
    if (left > 0 && options.quiet !== true)
      terminal.stderr.write(
        `${terminal.style.yellow('warning:')} ${left === 1 ? 'a file' : `${left} files`} of the message left out; add the paths under \`files\`\n`,
      )
    return EXIT.completed
  })
}

async function readBegin({ rootRunId }: RootRunRecord, store: RunStore): Promise<RunRequest | undefined> {
  const steps = await store.steps(rootRunId, rootRunId)
  // written by a host as a request
  return steps.get('begin') as unknown as RunRequest | undefined
}

/** Returns the messages before the run, with secrets replaced by their names. */
async function readHistory(
  begin: RunRequest | undefined,
  store: RunStore,
): Promise<NonNullable<RunRequest['history']>> {
  if (begin?.continues === undefined) return begin?.history ?? []
  const { storedHistory } = await import('@troupe/host')
  return storedHistory(store, begin, undefined)
}

function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw troupeError('usage_invalid', `--to ${path}: the file cannot be read.`, { cause })
  }
}

/** Replaces the file at once, so that an interruption cannot damage it. */
function writeText(path: string, text: string, { identity }: CommandContext): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${identity.pid}.tmp`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

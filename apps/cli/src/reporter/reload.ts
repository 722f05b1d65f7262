import type { WatchedReload } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { shortPath, problemLines } from './plan-problems.ts'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { HANGING_INDENT, wrapText } from '../terminal/wrap.ts'
import { programRecord, writeRecord } from './records.ts'

const MAX_NAMES = 3

/**
 * Returns one line about a reload: the changed files and agents, or the note that the previous team stays in
 * use because of errors.
 */
export function reloadLine(reload: WatchedReload, cwd: string): string {
  const { outcome, added, changed, removed } = reload
  const what = [
    ['added', added],
    ['changed', changed],
    ['removed', removed],
  ] as const
  const agents = what.flatMap(([word, names]) => (names.length === 0 ? [] : [`${word} ${listNames(names)}`]))
  const files = listNames(reload.files.map((file) => shortPath(file, cwd)))
  const end =
    outcome === 'kept' ? 'has errors, so the previous team stays in use' : agents.join(', ') || 'reloaded'
  return plainText(`${files || 'The team'}: ${end}`)
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Options for output on stderr. */
export interface MessageOptions {
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
}

/** Prints a reload. Errors are printed even with `quiet`, because the team then differs from its files. */
export function printReload(reload: WatchedReload, options: MessageOptions, context: CommandContext): void {
  const { outcome, problems } = reload
  if (options.quiet === true && outcome !== 'kept') return
  printNote(reloadLine(reload, context.cwd), options, context)
  if (outcome !== 'kept') return
  const errors = problems.filter(({ severity }) => severity === 'error')
  const format = { cwd: context.cwd, style: context.terminal.style }
  for (const line of problemLines(errors, format)) printNote(line, options, context)
}

/** Prints a line on stderr, above a live frame. */
export function printNote(
  text: string,
  { logFormat }: MessageOptions,
  { terminal, clock }: CommandContext,
): void {
  if (logFormat === 'json')
    writeRecord(
      terminal.stderr,
      programRecord('print', { message: text }, () => clock.now()),
    )
  else terminal.notes.stream.write(`${wrapText(text, terminal.stderr, HANGING_INDENT)}\n`)
}

import type { WatchedReload } from '@troupe/host'
import type { CommandContext } from '../context.ts'
import { problemLines } from '../reporter/problems.ts'
import { programRecord, writeRecord } from '../reporter/records.ts'
import { reloadLine } from '../reporter/reload-line.ts'
import type { LogFormat } from '../syntax/launch.ts'

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
  else terminal.notes.stream.write(`${text}\n`)
}

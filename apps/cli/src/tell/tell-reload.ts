import type { WatchedReload } from '@troupe/host'
import type { CommandContext } from '../context.ts'
import { problemLines } from '../reporter/problems.ts'
import { programRecord, writeRecord } from '../reporter/records.ts'
import { reloadLine } from '../reporter/reload-line.ts'
import type { LogFormat } from '../syntax/launch.ts'

/** How loud a program is that watches its files. */
export interface TellOptions {
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
}

/** An edit that is kept out is told even to who wants quiet: the next answer is not that of the files. */
export function tellReload(reload: WatchedReload, options: TellOptions, context: CommandContext): void {
  const { outcome, problems } = reload
  if (options.quiet === true && outcome !== 'kept') return
  tellNote(reloadLine(reload, context.cwd), options, context)
  if (outcome !== 'kept') return
  const errors = problems.filter(({ severity }) => severity === 'error')
  const format = { cwd: context.cwd, style: context.terminal.style }
  for (const line of problemLines(errors, format)) tellNote(line, options, context)
}

/** A line above what is drawn. */
export function tellNote(
  text: string,
  { logFormat }: TellOptions,
  { terminal, clock }: CommandContext,
): void {
  if (logFormat === 'json')
    writeRecord(
      terminal.stderr,
      programRecord('print', { message: text }, () => clock.now()),
    )
  else terminal.notes.stream.write(`${text}\n`)
}

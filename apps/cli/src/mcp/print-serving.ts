import type { CallRecord, MetaMcp } from '@troupe/meta-mcp'
import { hasAnswer, type AgentDefinition, type RunOptions } from '@troupe/schema'
import { eventLine, formatDuration, plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'

interface VerbosityOptions {
  readonly quiet?: boolean
  readonly verbose?: boolean
}

const VERBOSE_LINE = 4000

/** Prints the start line: name, version, tools and URL. */
export function printServing(
  { name, version }: AgentDefinition,
  { tools, url }: Pick<MetaMcp, 'tools'> & { readonly url?: string | undefined },
  { quiet = false }: VerbosityOptions,
  context: CommandContext,
): void {
  if (quiet) return
  const names = tools.map(({ wireName }) => wireName).join(', ')
  printLine(`${name} ${version} serves ${names}${url === undefined ? '' : ` at ${url}`}`, context)
}

/** Prints a line for a failed call; with `verbose` for every call. */
export function printCall(
  record: CallRecord,
  { quiet = false, verbose = false }: VerbosityOptions,
  context: CommandContext,
): void {
  const isExpected = hasAnswer(record.outcome) || record.outcome === 'cancelled'
  if (quiet || (isExpected && !verbose)) return
  const { tool, outcome, runId, durationMs, error } = record
  const took = durationMs === undefined ? '' : ` (${formatDuration(durationMs)})`
  const run = runId === undefined ? '' : ` ${runId}`
  printLine(
    `${tool} ${outcome}${took}${run}${error === undefined ? '' : `: ${error.code}: ${error.message}`}`,
    context,
  )
}

/** Returns run options that also print warnings; with `verbose` all notable events. */
export function withPrintedEvents(
  options: RunOptions,
  { quiet = false, verbose = false }: VerbosityOptions,
  context: CommandContext,
): RunOptions {
  if (quiet) return options
  return {
    ...options,
    onEvent: (event) => {
      options.onEvent?.(event)
      const line = verbose || event.type === 'warning' ? eventLine(event, { max: VERBOSE_LINE }) : undefined
      if (line !== undefined) printLine(line, context)
    },
  }
}

/** Prints a warning that is not about a call. */
export function warn(message: string, context: CommandContext): void {
  printLine(`warning: ${message}`, context)
}

function printLine(line: string, { terminal, stop }: CommandContext): void {
  if (!stop.silent) terminal.stderr.write(`${plainText(line, { max: VERBOSE_LINE })}\n`)
}

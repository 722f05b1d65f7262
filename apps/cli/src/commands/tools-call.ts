import { resultText, type ToolResult } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import { dataNote } from '../data-note.ts'
import { EXIT, exitCodeOf } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
import { parseJsonOption } from '../option-values.ts'
import { personAtTerminal } from '../person-at-terminal.ts'
import { printFailure } from '../reporter/failure.ts'
import { SILENT } from '../reporter/reporter.ts'
import { tellProblems } from '../tell-problems.ts'

/** The options of `troupe tools call`. */
export interface ToolsCallOptions extends TeamOptions {
  readonly args?: string
  readonly json?: boolean
  readonly yes?: boolean
}

/** `troupe tools call <card> <tool>`: one call down the same path as a model's. */
export async function toolsCallCommand(
  { card, tool }: { readonly card: string; readonly tool: string },
  options: ToolsCallOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, stop } = context
  const args = parseJsonOption(options.args ?? '{}', '--args')
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    if (tellProblems(host.plan(), {}, context) !== undefined) return EXIT.usage
    const person = personAtTerminal(terminal, { yes: options.yes, reporter: SILENT })
    const result = await host.callTool(undefined, tool, args, { signal: stop.signal, ...person })
    if (!stop.silent) printResult(result, options, context)
    return stop.exitCode ?? exitCodeOf({ outcome: result.outcome, error: result.failure })
  } finally {
    await host.close()
    forget()
  }
}

function printResult(result: ToolResult, options: ToolsCallOptions, { terminal }: CommandContext): void {
  const { stdout, stderr } = terminal
  if (options.json === true) stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else if (result.failure === undefined) {
    const text = resultText(result)
    stdout.write(`${stdout.isTTY === true ? plainText(text, { lines: true }) : text}\n`)
    for (const part of result.content) {
      if (part.type === 'data') stderr.write(`${dataNote(part)}\n`)
    }
  }
  if (result.failure !== undefined) printFailure(result.failure, terminal)
}

import type { CommandContext } from '../terminal/context.ts'
import { EXIT, exitCodeOfRun } from '../terminal/exit-code.ts'
import { loadHost } from '../team/load-host.ts'
import { readRecording } from '../team/record-file.ts'
import { printRefusal } from '../reporter/end.ts'
import { printResult } from '../watch/result.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { watchRun } from '../watch/watch-run.ts'
import type { RunCommandOptions } from './run.ts'

/**
 * Runs `troupe run <card> --replay FILE`: replays a recorded run with the current cards. Makes no model calls
 * and stores nothing.
 */
export async function replayCommand(
  { card, words, file }: { readonly card: string; readonly words: readonly string[]; readonly file: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const recording = readRecording(file, context.cwd)
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = printPlanProblems(host.plan(), options, context)
    if (refusal !== undefined) {
      if (options.json === true) printRefusal(refusal, context.terminal.stdout)
      return EXIT.usage
    }
    const input = words.length === 0 ? {} : { input: words.join(' ') }
    const watched = await watchRun(
      (watching) => host.replay(recording, { ...watching, ...input, file }),
      options,
      context,
    )
    printResult(watched, options, context)
    return context.stop.exitCode ?? exitCodeOfRun(watched.report, options)
  } finally {
    await host.close()
    forget()
  }
}

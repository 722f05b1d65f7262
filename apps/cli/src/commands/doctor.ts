import type { Diagnosis } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { diagnosisRows, type DiagnosisRow } from '../reporter/diagnosis-rows.ts'
import { tableLines } from '../reporter/table.ts'
import { openRunStore } from '../run-store/open-store.ts'

export interface DoctorOptions extends TeamOptions {
  readonly json?: boolean
}

/**
 * Runs `troupe doctor [paths…]`: checks everything that a team needs, without a model call. Returns 2 if
 * something is missing or broken.
 */
export async function doctorCommand(
  paths: readonly string[],
  options: DoctorOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context
  const store = await openRunStore({}, context)
  const host = await loadHost(paths.length === 0 ? ['.'] : paths, options, context, store)
  const forget = context.atExit(() => host.kill())
  try {
    const diagnosis = relevantDiagnosis(await host.diagnose(), paths)
    const rows = diagnosisRows(diagnosis, context)
    const isGood = rows.every(({ status }) => status !== 'error')
    const text =
      options.json === true
        ? JSON.stringify({ ok: isGood, node: context.nodeVersion, ...diagnosis }, null, 2)
        : toTable(rows, context)
    terminal.stdout.write(`${text}\n`)
    return isGood ? EXIT.completed : EXIT.usage
  } finally {
    await host.close()
    forget()
  }
}

/**
 * Removes the problem that there is no agent, unless a path was given: the working folder need not hold a
 * team.
 */
function relevantDiagnosis(diagnosis: Diagnosis, paths: readonly string[]): Diagnosis {
  if (paths.length > 0 || diagnosis.agents.length > 0) return diagnosis
  return { ...diagnosis, problems: diagnosis.problems.filter(({ code }) => code !== 'agent_unknown') }
}

function toTable(rows: readonly DiagnosisRow[], { terminal }: CommandContext): string {
  const { outStyle } = terminal
  const paint = { ok: outStyle.green, error: outStyle.red, warning: outStyle.yellow, none: outStyle.dim }
  const columns = ['', 'what', '', ''].map((title) => ({ title }))
  const cells = rows.map(({ status, what, name, detail }) => [
    paint[status](status === 'none' ? '-' : status),
    what,
    plainText(name),
    plainText(detail),
  ])
  return tableLines(columns, cells).slice(1).join('\n')
}

import { basename } from 'node:path'
import type { FieldOrigin } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { blockingProblems, isLoaded, problemLines } from '../reporter/plan-problems.ts'

/**
 * Runs `troupe run <card> --help`: prints the description and usage of the agent, and a front matter template
 * with all resolved values.
 */
export async function cardHelpCommand(
  card: string,
  options: TeamOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context
  const host = await loadHost([card], options, context)
  try {
    const plan = host.plan()
    if (plan.entry === undefined || !isLoaded(plan, plan.entry)) {
      const problems = blockingProblems(plan, plan.entry)
      terminal.stderr.write(`${problemLines(problems, { cwd, style: terminal.style }).join('\n')}\n`)
      return EXIT.usage
    }
    const { renderTemplate } = await import('@troupe/cards')
    const { entry } = plan
    const definition = host.definition(entry)
    const words: OriginWords = { ...ORIGINS, configuration: basename(plan.configFile ?? 'troupe.json') }
    terminal.stdout.write(
      [
        'DESCRIPTION',
        `  ${definition.name}: ${definition.description ?? 'no description'}`,
        '',
        `Usage: troupe run ${card} ${JSON.stringify(definition.usage ?? 'your message')}`,
        '',
        'FRONT MATTER TEMPLATE',
        'To create a new agent, copy this into a new file and write its prompt below. The comment on each value',
        `says where it comes from: the card, ${words.configuration}, or the default of Troupe.`,
        '',
        renderTemplate(definition, { originOf: (path) => words[host.origin(entry, path)] }),
      ].join('\n'),
    )
    return EXIT.completed
  } finally {
    await host.close()
  }
}

type OriginWords = Readonly<Record<FieldOrigin, string>>

const ORIGINS: OriginWords = {
  option: 'option',
  card: 'card',
  configuration: 'troupe.json',
  default: 'default',
}

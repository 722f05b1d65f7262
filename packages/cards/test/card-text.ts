import type { CardProblem, ParsedCard } from '../src/index.ts'
import { parseCard } from '../src/index.ts'

/** A Markdown card of some YAML lines, parsed. */
export function parse(yaml: string, body = 'Be brief.'): ParsedCard {
  return parseCard(`---\n${yaml}\n---\n${body}\n`, { path: '/team/agent.md' })
}

/** The errors of a card as `line:column code message`. */
export function errorsOf(card: ParsedCard): readonly string[] {
  return card.problems
    .filter(isError)
    .map((problem) => `${place(problem)} ${problem.code} ${problem.message}`)
}

function isError(problem: CardProblem): boolean {
  return problem.severity === 'error'
}

function place({ line, column }: CardProblem): string {
  return `${line ?? '-'}:${column ?? '-'}`
}

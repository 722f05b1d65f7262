import picomatch from 'picomatch/posix.js'
import { RUNTIME_TOOL_NAMES } from '@troupe/runtime'
import { agentToolName, closest, mcpToolName } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { mayMatchPrefix, type KnownTools } from './known-tools.ts'
import { planError, planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

/**
 * A rule for some calls in the syntax of another product, such as `Bash(rm *)` or `shell:cmd=rm *`. No tool
 * name contains these characters.
 */
const OF_SOME_CALLS = /[\w*]\(|[=\s]/u

/** An agent with its known tools. */
interface PlannedTools {
  readonly agent: CheckedAgent
  readonly known: KnownTools
}

/** A rule written as text, and its path in the card. */
interface TextRule {
  readonly rule: string
  readonly path: readonly (string | number)[]
}

/**
 * Reports an error for each text rule that cannot match any tool name and so would restrict nothing, and a
 * warning for each that matches no tool of the team. Rules that could match a tool of an uninspected MCP
 * server are skipped.
 */
export function textRuleProblems(all: readonly PlannedTools[]): readonly PlanProblem[] {
  const names = knownNames(all)
  const unlisted = all.flatMap(({ agent, known }) =>
    known.isWhole ? [] : agent.servers.map(({ name }) => mcpToolName(name, '')),
  )
  const isKnown = (rule: string): boolean => {
    if (unlisted.some((prefix) => mayMatchPrefix(rule, prefix))) return true
    const matches = picomatch(rule, { nonegate: true, dot: true, nocase: true })
    return names.some((name) => matches(name))
  }
  return all.flatMap(({ agent }) =>
    textRules(agent).flatMap(({ rule, path }) => {
      const { card, definition } = agent.member
      const position = card.positionOf?.(path)
      const location = { file: card.path, ...position, agent: definition.name }
      const key = path.join('.')
      if (OF_SOME_CALLS.test(rule))
        return [planError('card_bad_value', `${key}: no tool is named "${rule}".`, { ...location, fix: FIX })]
      // A rule from a conversion or the configuration may be meant for tools that only other agents have.
      if (card.dialect !== 'troupe' || position === undefined || isKnown(rule)) return []
      return [planWarning('tool_unknown', `${key}: ${unmatched(rule, names)}`, location)]
    }),
  )
}

const FIX =
  'Write a rule for some calls as {tool: shell.execute, argument: command, pattern: "rm *"}, or the name of a tool for all of its calls.'

function knownNames(all: readonly PlannedTools[]): readonly string[] {
  const tools = all.flatMap(({ known }) => known.tools.map(({ name }) => name))
  const agents = all.map(({ agent }) => agentToolName(agent.member.definition.name))
  return [...new Set([...tools, ...agents, ...RUNTIME_TOOL_NAMES])]
}

function textRules({ member: { definition } }: CheckedAgent): readonly TextRule[] {
  const { permissions, requiresApproval } = definition
  const lists = [
    ...(['deny', 'ask', 'allow'] as const).map((list) => [['permissions', list], permissions[list]] as const),
    [['requiresApproval'], requiresApproval] as const,
  ]
  return lists.flatMap(([path, rules]) =>
    rules.flatMap((rule, index) => (typeof rule === 'string' ? [{ rule, path: [...path, index] }] : [])),
  )
}

function unmatched(rule: string, names: readonly string[]): string {
  const near = closest(rule.replaceAll('*', ''), names)
  return `"${rule}" matches no tool of the team${near === undefined ? '.' : `; did you mean "${near}"?`}`
}

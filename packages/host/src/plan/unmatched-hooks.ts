import { hookReach } from '@troupe/hooks'
import { closest, mcpToolName } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { mayMatchPrefix, type KnownTools } from './known-tools.ts'
import { planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

const MOST_NAMED = 12

/**
 * Warns about globs under `tools` of a stock hook that match no tool of the agent, so the intended tools are
 * left unguarded. Globs that a tool of an MCP server could match are skipped until the servers have been
 * inspected.
 */
export function unmatchedHookProblems(
  { member, parts, servers }: CheckedAgent,
  { tools, isWhole }: KnownTools,
): readonly PlanProblem[] {
  const { definition, card } = member
  if (parts.hooks.length === 0) return []
  // If a hook failed to load, the indexes no longer match, and the agent cannot run anyway.
  if (definition.type !== 'agent' || parts.hooks.length !== definition.toolHooks.length) return []
  const names = tools.map((tool) => tool.name)
  const unlisted = isWhole ? [] : servers.map(({ name }) => mcpToolName(name, ''))
  return parts.hooks.flatMap((hook, index) => {
    const reach = hookReach(hook)
    return (reach?.globs ?? []).flatMap(({ glob, matches }, at) => {
      if (names.some(matches) || unlisted.some((prefix) => mayMatchPrefix(glob, prefix))) return []
      const path = ['toolHooks', index, 'tools', at]
      return [
        planWarning('hook_concerns_nothing', messageOf({ path, glob, agent: definition.name }, names), {
          file: card.path,
          ...card.positionOf?.(path),
          agent: definition.name,
        }),
      ]
    })
  })
}

function messageOf(
  {
    path,
    glob,
    agent,
  }: { readonly path: readonly (string | number)[]; readonly glob: string; readonly agent: string },
  names: readonly string[],
): string {
  const near = closest(glob.replaceAll('*', ''), names)
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  const more = names.length > MOST_NAMED ? ', …' : ''
  const known = names.slice(0, MOST_NAMED).join(', ') + more
  return `${path.join('.')}: "${glob}" matches no tool of ${agent}${hint || '.'} Its tools: ${known || 'none'}.`
}

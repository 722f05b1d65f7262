import type { PreparedAgent, ToolDefinition } from '@troupe/schema'
import { writeWarning } from './problems.ts'
import type { Run } from './run.ts'
import { buildSystemPrompt } from './system-prompt.ts'

/** Removes tools that need an approval if the run is headless, and warns if none are left. */
export function removeToolsNeedingApproval(run: Run, prepared: PreparedAgent): PreparedAgent {
  if (run.root.headless !== true) return prepared
  const { tools, definition } = prepared
  const remaining = [...tools].filter(([, tool]) => prepared.permission.ofTool(tool) === 'allow')
  if (remaining.length === tools.size) return prepared
  if (remaining.length === 0) warnNoToolsLeft(run, [...tools.values()])
  return {
    ...prepared,
    tools: new Map(remaining),
    system: buildSystemPrompt(
      definition,
      remaining.map(([, tool]) => tool),
    ),
  }
}

function warnNoToolsLeft(run: Run, tools: readonly ToolDefinition[]): void {
  const names = tools.map(({ name }) => name).join(', ')
  writeWarning(run, {
    weakens: true,
    code: 'headless_no_tools',
    message: `${run.request.agent.name} has none of its tools: each needs an approval and nobody can be asked. Left out: ${names}.`,
  })
}

import picomatch from 'picomatch/posix.js'
import type { AgentDefinition, PreparedAgent, ToolDefinition } from '@troupe/schema'

type Rules = Pick<AgentDefinition, 'permissions' | 'requiresApproval' | 'toolPermission'>

/** What the rules of an agent say of a tool: deny beats ask beats allow; without a rule `toolPermission` decides (R16). */
export function createPermission(rules: Rules): PreparedAgent['permission'] {
  const isDenied = matcher(rules.permissions.deny)
  const isAsked = matcher(rules.permissions.ask)
  const isAllowed = matcher(rules.permissions.allow)
  const needsApproval = matcher(rules.requiresApproval)
  const decided = new Map<string, 'allow' | 'ask' | 'deny'>()
  const decide = (tool: ToolDefinition): 'allow' | 'ask' | 'deny' => {
    if (isDenied(tool.name)) return 'deny'
    if (isAsked(tool.name)) return 'ask'
    if (isAllowed(tool.name) || rules.toolPermission === 'never') return 'allow'
    if (rules.toolPermission === 'always') return 'ask'
    return tool.requiresApproval === true || needsApproval(tool.name) ? 'ask' : 'allow'
  }
  return (tool) => {
    const known = decided.get(tool.name)
    if (known !== undefined) return known
    const decision = decide(tool)
    decided.set(tool.name, decision)
    return decision
  }
}

function matcher(globs: readonly string[]): (name: string) => boolean {
  if (globs.length === 0) return () => false
  return picomatch([...globs], { nonegate: true, dot: true })
}

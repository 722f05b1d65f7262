import { agentToolName, toWireName, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import { acceptedInputSchema, childInputSchema, toChildInput } from './child-input.ts'
import { toToolResult } from './child-result.ts'

/** How much of an instruction stands in for a description that is not there. */
const DESCRIPTION_LIMIT = 300

/**
 * A child agent as a tool of its parent (A36–A41, C15): a call opens a fresh run of it through `ctx.run.child()`, where all guards
 * are. Hooks and events see `agent__<Name>`; the model sees that or `toolName`, made legal.
 */
export function agentTool(child: AgentDefinition): ToolDefinition {
  const { name, digest } = child
  const canonical = agentToolName(name)
  return {
    name: canonical,
    wireName: toWireName(child.toolName ?? canonical),
    source: 'agent',
    server: 'agent',
    agent: name,
    description: child.description ?? startOf(child.instruction),
    inputSchema: childInputSchema(child),
    acceptedSchema: acceptedInputSchema(child),
    effect: 'idempotent',
    // not async: what a waiting child holds is multiplied by all that wait
    execute: (args, { run, site, attempt }) =>
      run.child({ name, digest }, { site, attempt, input: toChildInput(child, args) }).then(toToolResult),
  }
}

/** The start of an instruction, cut at a space where one is near. */
function startOf(instruction: string): string {
  const text = instruction.trim()
  if (text.length <= DESCRIPTION_LIMIT) return text
  const head = text.slice(0, DESCRIPTION_LIMIT).toWellFormed()
  const space = head.lastIndexOf(' ')
  return `${space > DESCRIPTION_LIMIT / 2 ? head.slice(0, space) : head}…`
}

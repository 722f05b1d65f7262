import { agentToolName, toWireName, type AgentDefinition, type ToolDefinition } from '@troupe/schema'
import { acceptedInputSchema, childInputSchema, toChildInput } from './child-input.ts'
import { toToolResult } from './child-result.ts'

/** Characters of the instruction that replace a missing description. */
const DESCRIPTION_LIMIT = 300

/**
 * Creates the tool with which a parent calls a child agent. Each call opens a new run through
 * `ctx.run.child()`, which applies all guards. Hooks and events see `agent__<Name>`; the model sees that name
 * or `toolName`, converted to a legal tool name.
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
    // Not async: avoids keeping one more promise for every child run in progress.
    execute: (args, { run, site, attempt }) =>
      run.child({ name, digest }, { site, attempt, input: toChildInput(child, args) }).then(toToolResult),
  }
}

/** Returns the start of an instruction, cut at a space if there is one near the limit. */
function startOf(instruction: string): string {
  const text = instruction.trim()
  if (text.length <= DESCRIPTION_LIMIT) return text
  const head = text.slice(0, DESCRIPTION_LIMIT).toWellFormed()
  const space = head.lastIndexOf(' ')
  return `${space > DESCRIPTION_LIMIT / 2 ? head.slice(0, space) : head}…`
}

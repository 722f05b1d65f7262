import type { Tool } from '@modelcontextprotocol/server'
import { toWireName, type AgentDefinition, type JsonObject } from '@troupe/schema'

/** Returns the MCP tool name of an agent. */
export function agentToolName({ name }: Pick<AgentDefinition, 'name'>): string {
  return toWireName(name)
}

/** Returns the input schema of an agent's tool. */
export function agentToolInput({ input, output }: AgentDefinition): JsonObject {
  const object = input.schema ?? { type: 'object' }
  const needsSchema = output.schema === undefined
  return {
    type: 'object',
    properties: {
      input: {
        anyOf: [{ type: 'string' }, object],
        description: 'The message for the agent, or its input object.',
      },
      format: {
        enum: ['text', 'markdown', 'json'],
        description: `The format of the answer.${needsSchema ? ' json requires a schema.' : ''}`,
      },
      schema: { type: 'object', description: 'With format json: the JSON Schema of the answer.' },
      contextId: {
        type: 'string',
        minLength: 1,
        description: 'Continues the conversation of an earlier result.',
      },
    },
    required: ['input', 'format'],
    additionalProperties: false,
  }
}

/** Returns an agent as an MCP tool. */
export function agentTool(agent: AgentDefinition): Tool {
  return {
    name: agentToolName(agent),
    title: agent.name,
    description: agent.description ?? `The agent ${agent.name}.`,
    inputSchema: agentToolInput(agent) as Tool['inputSchema'],
    annotations: { openWorldHint: true },
  }
}

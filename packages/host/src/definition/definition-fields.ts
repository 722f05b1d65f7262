import type { AgentDefinition, AgentFields, LimitsInput, ParsedAgentFields } from '@troupe/schema'

/**
 * Converts a definition back to fields from which `toDefinition` creates an equal one. Limits include only
 * those that the author set.
 */
export function definitionFields(
  definition: AgentDefinition,
): AgentFields &
  Pick<ParsedAgentFields, 'minRating'> & { readonly name: string; readonly instruction: string } {
  const { source: _source, digest: _digest, ...rest } = definition
  const {
    settings,
    composition,
    acquire,
    tools,
    mcpServers,
    ownLimits,
    limits: _limits,
    model,
    ...same
  } = rest
  return {
    ...same,
    ...settings,
    ...composition,
    ...(model.length === 0 ? {} : { model }),
    ...toolsField(tools),
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    limits: ownLimitsOf(definition, ownLimits),
    acquire: acquire.kind === 'fresh' ? 'fresh' : { pool: acquire.size },
  }
}

function toolsField(tools: AgentDefinition['tools']): Pick<AgentFields, 'tools'> {
  const written = tools.servers ?? tools.allow
  return written === undefined ? {} : { tools: written }
}

function ownLimitsOf(definition: AgentDefinition, own: AgentDefinition['ownLimits']): LimitsInput {
  return Object.fromEntries(own.map((key) => [key, definition.limits[key]]))
}

import type { AgentDefinition, AgentFields, LimitsInput, ParsedAgentFields } from '@troupe/schema'

/** The fields that stand for a definition: `toDefinition` makes an equal one of them again. Limits are the author's own only. */
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

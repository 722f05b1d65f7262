import type { JsonObject, ToolDefinition } from '@troupe/schema'
import { SCHEMA_TARGETS, toolTarget } from './schemas/schema-target.ts'
import { toolSchema } from './schemas/tool-schema.ts'

const OPENAI_DESCRIPTION = 1024

type DescribedTool = Pick<ToolDefinition, 'description' | 'inputSchema'>

/**
 * Returns the reasons why a provider would reject a request with this tool with status 400. Empty if it would
 * not, or if its rules are not known.
 */
export function toolRefusals(provider: string, tool: DescribedTool): readonly string[] {
  return [...longDescription(provider, tool), ...oddNames(provider, tool)]
}

function longDescription(provider: string, { description }: DescribedTool): readonly string[] {
  if (provider !== 'openai' || description.length <= OPENAI_DESCRIPTION) return []
  return [`its description has ${description.length} characters; at most ${OPENAI_DESCRIPTION} are taken`]
}

/** Reports a required argument whose name the provider does not allow. */
function oddNames(provider: string, { inputSchema }: DescribedTool): readonly string[] {
  const target = toolTarget(provider)
  const names = target === undefined ? undefined : SCHEMA_TARGETS[target].propertyNames
  if (names === undefined) return []
  const { properties = {} } = toolSchema(provider, inputSchema).schema
  const odd = Object.keys(properties as JsonObject).find((name) => !names.test(name))
  if (odd === undefined) return []
  return [
    `its required argument ${JSON.stringify(odd)} is not made of 1 to 64 letters, digits, ".", "_" and "-"`,
  ]
}

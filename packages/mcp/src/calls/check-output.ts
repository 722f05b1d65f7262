import {
  isJsonTooDeep,
  MAX_JSON_DEPTH,
  type Json,
  type ToolResult,
  type ValidateArguments,
} from '@troupe/schema'
import type { ServerTool } from '../tools/server-tool.ts'

/** Holds the structured part of a result against what its tool promised. */
export type CheckOutput = (tool: ServerTool, result: ToolResult) => ToolResult

/**
 * A check whose schemas are compiled when they are first needed. A structured value that breaks its promise is taken out, so that
 * whoever reads one can rely on its form, and so is one that is nested too deep; the text stays. Said once for a tool.
 */
export function createOutputCheck(options: {
  readonly server: string
  /** None: nothing is checked. */
  readonly validate: ValidateArguments | undefined
  warn(text: string): void
}): CheckOutput {
  const { server, validate, warn } = options
  const told = new WeakSet<ServerTool>()
  return (tool, result) => {
    const { structured, ...rest } = result
    const problem = structured === undefined ? undefined : problemOf(tool, structured)
    if (problem === undefined) return result
    if (!told.has(tool))
      warn(`The tool "${tool.name}" of the MCP server "${server}" gave a structured value that ${problem}`)
    told.add(tool)
    return rest
  }

  function problemOf({ outputSchema }: ServerTool, structured: Json): string | undefined {
    if (isJsonTooDeep(structured)) return `is nested more than ${MAX_JSON_DEPTH} deep; only its text is used.`
    if (outputSchema === undefined || validate === undefined) return undefined
    const checked = validate(outputSchema, structured)
    if (checked.ok) return undefined
    return `does not fit its own output schema; only its text is used: ${checked.problems.join('; ')}`
  }
}

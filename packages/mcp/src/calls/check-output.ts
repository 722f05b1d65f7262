import {
  isJsonTooDeep,
  MAX_JSON_DEPTH,
  type Json,
  type ToolResult,
  type ValidateArguments,
} from '@troupe/schema'
import type { ServerTool } from '../tools/server-tool.ts'

/** Checks the structured content of a result against the output schema of its tool. */
export type CheckOutput = (tool: ServerTool, result: ToolResult) => ToolResult

/**
 * Creates a check that compiles a schema on first use. It removes structured content that is invalid or
 * nested too deeply and leaves the text. Warns once per tool.
 */
export function createOutputCheck(options: {
  readonly server: string
  /** If `undefined`, only the nesting depth is checked. */
  readonly validate: ValidateArguments | undefined
  warn(text: string): void
}): CheckOutput {
  const { server, validate, warn } = options
  const warnedTools = new WeakSet<ServerTool>()
  return (tool, result) => {
    const { structured, ...rest } = result
    const problem = structured === undefined ? undefined : problemOf(tool, structured)
    if (problem === undefined) return result
    if (!warnedTools.has(tool))
      warn(`The tool "${tool.name}" of the MCP server "${server}" gave a structured value that ${problem}`)
    warnedTools.add(tool)
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

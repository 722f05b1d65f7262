import type { ToolResult, ValidateArguments } from '@troupe/schema'
import type { ServerTool } from '../tools/server-tool.ts'

/** Holds the structured part of a result against what its tool promised. */
export type CheckOutput = (tool: ServerTool, result: ToolResult) => ToolResult

/**
 * A check whose schemas are compiled when they are first needed. A structured value that breaks its promise is taken out, so that
 * whoever reads one can rely on its form; the text stays. Said once for a tool.
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
    if (structured === undefined || tool.outputSchema === undefined || validate === undefined) return result
    const checked = validate(tool.outputSchema, structured)
    if (checked.ok) return result
    if (!told.has(tool))
      warn(
        `The tool "${tool.name}" of the MCP server "${server}" gave a structured value that does not fit its own output schema; only its text is used: ${checked.problems.join('; ')}`,
      )
    told.add(tool)
    return rest
  }
}

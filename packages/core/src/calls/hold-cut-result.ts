import { resultText, type PreparedAgent, type ToolResult } from '@troupe/schema'
import { namesHandle } from './cap-result.ts'
import { createHeldResults } from './held-results.ts'
import { READ_RESULT, readResultTool } from './read-result-tool.ts'
import type { Run } from '../session/run.ts'

/** Room for the note below a piece. */
const NOTE_BYTES = 100

/**
 * Keeps the whole text of a result that is cut, and offers the tool that reads on in it from the next turn on. Undefined where the
 * agent may not have that tool: its result is then cut for good.
 */
export function holdCutResult(run: Run, text: string): string | undefined {
  const { prepared } = run
  if (prepared === undefined) return undefined
  if (run.held === undefined && !offerReading(run, prepared)) return undefined
  return run.held?.hold(text)
}

/** A result that was cut before the run was interrupted: its whole text is gone, and the tool that its note names is there to say so. */
export function offerReadingAgain(run: Run, result: ToolResult): void {
  const { prepared } = run
  if (prepared === undefined || run.held !== undefined) return
  if (namesHandle(resultText(result))) offerReading(run, prepared)
}

function offerReading(run: Run, prepared: PreparedAgent): boolean {
  const held = createHeldResults(run.root)
  const tool = readResultTool(held, Math.max(1, run.definition.limits.maxToolResultBytes - NOTE_BYTES))
  const { tools, models } = prepared
  if (tools.has(READ_RESULT) || prepared.permission.ofTool(tool) !== 'allow') return false
  if (models.some(({ maxTools = Infinity }) => tools.size >= maxTools)) return false
  run.held = held
  run.prepared = { ...prepared, tools: new Map([...tools, [READ_RESULT, tool]]) }
  return true
}

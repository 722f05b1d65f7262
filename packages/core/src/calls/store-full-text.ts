import { resultText, type PreparedAgent, type ToolResult } from '@troupe/schema'
import { mentionsHandle } from './cap-result.ts'
import { createFullTextStore } from './full-text-store.ts'
import { READ_RESULT, readResultTool } from './read-result-tool.ts'
import type { Run } from '../session/run.ts'

/** Bytes reserved for the note after a piece. */
const NOTE_BYTES = 100

/**
 * Stores the full text of a truncated result and offers the `read_result` tool from the next turn on. Returns
 * `undefined` if the agent may not use that tool; the rest of the text is then lost.
 */
export function storeFullText(run: Run, text: string): string | undefined {
  const { prepared } = run
  if (prepared === undefined) return undefined
  if (run.fullTexts === undefined && !offerReadResult(run, prepared)) return undefined
  return run.fullTexts?.add(text)
}

/**
 * Offers the `read_result` tool again for a result that was truncated before an interruption. Its full text
 * is lost, and the tool reports that to the model.
 */
export function offerReadResultAgain(run: Run, result: ToolResult): void {
  const { prepared } = run
  if (prepared === undefined || run.fullTexts !== undefined) return
  if (mentionsHandle(resultText(result))) offerReadResult(run, prepared)
}

function offerReadResult(run: Run, prepared: PreparedAgent): boolean {
  const fullTexts = createFullTextStore(run.root)
  const tool = readResultTool(fullTexts, Math.max(1, run.definition.limits.maxToolResultBytes - NOTE_BYTES))
  const { tools, models } = prepared
  if (tools.has(READ_RESULT) || prepared.permission.ofTool(tool) !== 'allow') return false
  if (models.some(({ maxTools = Infinity }) => tools.size >= maxTools)) return false
  run.fullTexts = fullTexts
  run.prepared = { ...prepared, tools: new Map([...tools, [READ_RESULT, tool]]) }
  return true
}

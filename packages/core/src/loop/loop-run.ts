import { inputMessage, type PreparedAgent } from '@troupe/schema'
import { openBudget } from '../budget/reserve-call.ts'
import { Children, type ParentRun } from '../children/watch-child.ts'
import { ModelConversation, type ConversationRun } from '../context/conversation.ts'
import { inputBound } from '../context/prompt-size.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { PreparedRun } from '../model/prepared-run.ts'
import { TruncatedResults } from '../tools/read-result.ts'
import type { ToolRun } from '../tools/tool-run.ts'

/** A run whose agent is prepared, with all parts that the loop needs. */
export interface LoopRun extends PreparedRun, ToolRun, ParentRun {}

/** Adds the parts of the loop to a run and opens its budget. */
export function createLoopRun(logged: LoggedRun, prepared: PreparedAgent): LoopRun {
  const { request } = logged
  const input = prepared.compose === undefined ? [inputMessage(request.input, request.attachments)] : []
  const run: ConversationRun = {
    ...logged,
    conversation: new ModelConversation(request.history ?? [], input),
  }
  const { messages } = run.conversation
  return {
    ...run,
    prepared,
    budget: openBudget(run, prepared, (handle) => inputBound(run, prepared, { handle, messages })),
    openModels: new Map(),
    hookState: new Map(),
    truncated: new TruncatedResults(run, prepared),
    children: new Children(request),
  }
}

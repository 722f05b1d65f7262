import { conversationOptions, type ClientConversation } from '../client-conversation.ts'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { startHeldRun, type HeldRun } from './held-run.ts'

/** The agent, caller and context of a held run. */
export interface HeldRunContext {
  readonly agent: string
  readonly caller: Caller
  readonly context: HeadendContext
}

/** Starts a run that may ask a person, on the conversation that a client sends. */
export function startHeldConversation(
  conversation: ClientConversation,
  { agent, caller, context }: HeldRunContext,
): HeldRun & { readonly runId: string } {
  const runId = context.newId('run')
  const options = { runId, ...conversationOptions(conversation) }
  return { ...startHeldRun({ agent, input: conversation.input, options }, caller, context), runId }
}

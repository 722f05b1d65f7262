import type { LoopHookContext, Message } from '@troupe/schema'

/** Adds a message to this model call only; the conversation itself does not change. */
export function remindOfManners(_ctx: LoopHookContext, messages: readonly Message[]): readonly Message[] {
  return [...messages, { role: 'user', content: [{ type: 'text', text: 'Please, and thank you.' }] }]
}

/** Logs how the run ended. */
export function note(ctx: LoopHookContext, outcome: string): void {
  ctx.log(`${ctx.agentName} is done after ${ctx.turn} turn: ${outcome}`)
}

import type { LoopHookContext, Message } from '@troupe/schema'

/** Adds a line to what this one model call reads; the conversation itself stays as it is. */
export function remindOfManners(_ctx: LoopHookContext, messages: readonly Message[]): readonly Message[] {
  return [...messages, { role: 'user', content: [{ type: 'text', text: 'Please, and thank you.' }] }]
}

/** Notes how the run ended. */
export function note(ctx: LoopHookContext, outcome: string): void {
  ctx.log(`${ctx.agentName} is done after ${ctx.turn} turn: ${outcome}`)
}

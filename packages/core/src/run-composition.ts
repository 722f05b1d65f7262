import {
  userMessage,
  type Compose,
  type ComposeContext,
  type Message,
  type OutputContract,
  type PreparedAgent,
} from '@troupe/schema'
import { modelStep } from './model-step.ts'
import { runContext } from './run-context.ts'
import { stopped, type RunEnd } from './run-end.ts'
import { write, type Run } from './run.ts'

const TEXT: OutputContract = Object.freeze({ format: 'text' })

/**
 * Runs a composition in place of the loop (R20). What it asks its own model in between stays out of the conversation, which holds the
 * request and the answer, so that a session can go on from there.
 */
export async function runComposition(run: Run, prepared: PreparedAgent, compose: Compose): Promise<RunEnd> {
  const { input } = run.request
  const end = await compose({
    definition: run.definition,
    input,
    run: runContext(run, run.historyLength),
    nextStep: () => (run.turn += 1),
    ask: (prompt, options = {}) => ask(run, prepared, { prompt, output: options.output ?? TEXT }),
    keep: (text) => {
      run.lastText = text
    },
  })
  run.messages.length = run.historyLength
  run.messages.push(Object.freeze(userMessage(input)))
  if (run.stop.reason !== undefined) return stopped(run)
  if (end.text !== '') {
    const answer: Message = { role: 'assistant', content: [{ type: 'text', text: end.text }] }
    run.messages.push(Object.freeze(answer))
  }
  return end
}

async function ask(
  run: Run,
  prepared: PreparedAgent,
  question: { readonly prompt: string; readonly output: OutputContract },
): ReturnType<ComposeContext['ask']> {
  const best = run.lastText
  const turn = (run.turn += 1)
  write(run, 'turn-start', { turn })
  run.messages.push(Object.freeze(userMessage(question.prompt)))
  const step = await modelStep(run, prepared, { mayCall: false, output: question.output })
  if ('failure' in step) return { failure: run.stop.reason ?? step.failure }
  run.messages.push(step.message)
  // a plan or a choice is nothing to show in place of an answer
  run.lastText = best
  write(run, 'turn-end', { turn, finishReason: step.finishReason, toolCalls: 0 })
  return { text: step.text }
}

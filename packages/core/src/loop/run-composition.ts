import {
  userMessage,
  type Compose,
  type ComposeContext,
  type Message,
  type OutputContract,
  type PreparedAgent,
} from '@troupe/schema'
import { askModel } from '../model/ask-model.ts'
import { repairAnswer } from './repair-answer.ts'
import { runContext } from './turn-context.ts'
import { endOfStoppedRun, appendMessage, appendEvent, type RunEnd, type Run } from '../run/run.ts'

const TEXT: OutputContract = Object.freeze({ format: 'text' })

/**
 * Runs a composition in place of the loop. Its internal model calls stay out of the conversation, which
 * contains only the input and the answer, so that a session can continue from there. An answer that does not
 * match the schema of the agent is repaired by its model, if it has one.
 */
export async function runComposition(run: Run, prepared: PreparedAgent, compose: Compose): Promise<RunEnd> {
  const end = await compose({
    definition: run.definition,
    input: run.request.input,
    run: runContext(run, run.historyLength),
    nextStep: () => (run.turn += 1),
    ask: (prompt, options = {}) => ask(run, prepared, { prompt, output: options.output ?? TEXT }),
    savePartialText: (text) => {
      run.lastText = text
    },
  })
  if (run.cancellation.reason !== undefined) {
    converse(run, '')
    return endOfStoppedRun(run)
  }
  converse(run, end.text)
  if (prepared.models.length === 0) return end
  const mended = await repairAnswer(run, prepared, end)
  if (mended !== end) converse(run, mended.text)
  return mended
}

/** Replaces the conversation of a composition by its input and answer. */
function converse(run: Run, text: string): void {
  run.messages.length = run.historyLength
  run.view = run.messages
  run.dropped = 0
  run.reportedTokens = undefined
  appendMessage(run, userMessage(run.request.input))
  if (text === '') return
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text }] }
  appendMessage(run, answer)
}

async function ask(
  run: Run,
  prepared: PreparedAgent,
  question: { readonly prompt: string; readonly output: OutputContract },
): ReturnType<ComposeContext['ask']> {
  const best = run.lastText
  const turn = (run.turn += 1)
  appendEvent(run, 'turn-start', { turn })
  appendMessage(run, userMessage(question.prompt))
  const step = await askModel(run, prepared, { mayCall: false, output: question.output })
  if ('failure' in step) return { failure: run.cancellation.reason ?? step.failure }
  appendMessage(run, step.message)
  // an internal plan or choice must not become the text of a run that ends early
  run.lastText = best
  appendEvent(run, 'turn-end', { turn, finishReason: step.finishReason, toolCalls: 0 })
  return { text: step.text }
}

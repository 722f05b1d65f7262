import { userMessage, type Message, type OutputContract } from '@troupe/schema'
import { inputMessage, type Compose, type ComposeContext } from '@troupe/schema/ports'
import { askModel } from '../model/ask-model.ts'
import { repairAnswer, takeTurns } from './run-turns.ts'
import { createTurnContext, type LoopRun } from './loop-run.ts'
import { endOfStoppedRun, type RunEnd } from '../run/run.ts'

const TEXT: OutputContract = Object.freeze({ format: 'text' })

/**
 * Runs a composition in place of the loop, or around it. Its internal model calls stay out of the conversation, which
 * contains only the input and the answer, so that a session can continue from there. An answer that does not
 * match the schema of the agent is repaired by its model, if it has one.
 */
export async function runComposition(run: LoopRun, compose: Compose): Promise<RunEnd> {
  const end = await compose({
    definition: run.definition,
    input: run.request.input,
    run: createTurnContext(run, run.conversation.historyLength),
    nextStep: () => run.progress.startTurn(),
    ask: (prompt, options = {}) => ask(run, { prompt, output: options.output ?? TEXT }),
    answer: (input) => {
      run.conversation.append(inputMessage(input, run.request.attachments))
      return takeTurns(run)
    },
    savePartialText: (text) => {
      run.progress.lastText = text
    },
  })
  if (run.cancellation.reason !== undefined) {
    setConversation(run, '')
    return endOfStoppedRun(run)
  }
  setConversation(run, end.text)
  if (run.prepared.models.length === 0) return end
  const repaired = await repairAnswer(run, end)
  if (repaired !== end) setConversation(run, repaired.text)
  return repaired
}

/** Replaces the conversation of a composition by its input and answer. */
function setConversation(run: LoopRun, text: string): void {
  run.conversation.reset()
  run.conversation.append(userMessage(run.request.input))
  if (text === '') return
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text }] }
  run.conversation.append(answer)
}

async function ask(
  run: LoopRun,
  question: { readonly prompt: string; readonly output: OutputContract },
): ReturnType<ComposeContext['ask']> {
  const lastText = run.progress.lastText
  const turn = run.progress.startTurn()
  run.log.appendEvent('turn-start', { turn })
  run.conversation.append(userMessage(question.prompt))
  const step = await askModel(run, run.prepared, { mayCall: false, output: question.output })
  if ('failure' in step) return { failure: run.cancellation.reason ?? step.failure }
  run.conversation.append(step.message)
  // an internal plan or choice must not become the text of a run that ends early
  run.progress.lastText = lastText
  run.log.appendEvent('turn-end', { turn, finishReason: step.finishReason, toolCalls: 0 })
  return { text: step.text }
}

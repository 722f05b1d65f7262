import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { readyModelRun } from '../model-run.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../handler.ts'
import { answerModelRun } from './answer-model-run.ts'
import { chatCompletion, streamCompletion, type CompletionHead } from './chat-completion.ts'
import { chatMessages, chatOutput, chatRequest } from './chat-request.ts'
import { openAIError } from './openai-error.ts'

/**
 * Handles `POST /openai/v1/chat/completions`. The model is the name of an agent, and the client sends the
 * conversation.
 */
export function answerChat(context: HeadendContext): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: chatRequest,
      toMessages: chatMessages,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { asked, agent, conversation } = call
    const runId = context.newId('run')
    const head: CompletionHead = {
      id: `chatcmpl-${runId}`,
      created: Math.floor(context.clock.now() / 1000),
      model: asked.model,
    }
    const ready = readyModelRun(
      { agent, conversation, wish: chatOutput(asked, agent), runId },
      { request: req.raw, caller },
      context,
    )
    const withUsage = asked.stream_options?.include_usage === true
    return answerModelRun(
      ready,
      {
        headers: { 'troupe-run-id': runId },
        isStream: asked.stream === true,
        stream: (begun, outbox, answer) => streamCompletion(begun, outbox, { head, withUsage, ...answer }),
        body: (report) => chatCompletion(head, report),
      },
      { clock: context.clock, caller },
    )
  }
}

import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { prepareModelRun } from '../model-run.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../handler.ts'
import { answerModelRun } from './answer-model-run.ts'
import { chatCompletion, streamCompletion, type CompletionHead } from './chat-completion.ts'
import { chatMessages, chatOutput, chatCompletionRequest } from './chat-completion-request.ts'
import { openAIError } from './openai-error.ts'

/**
 * Handles `POST /openai/v1/chat/completions`. The model is the name of an agent, and the client sends the
 * conversation.
 */
export function answerChatCompletion(context: HeadendContext): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: chatCompletionRequest,
      toMessages: chatMessages,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { body, agent, conversation } = call
    const runId = context.newId('run')
    const head: CompletionHead = {
      id: `chatcmpl-${runId}`,
      created: Math.floor(context.clock.now() / 1000),
      model: body.model,
    }
    const ready = prepareModelRun(
      { agent, conversation, outputOptions: chatOutput(body, agent), runId },
      { request: req.raw, caller },
      context,
    )
    const withUsage = body.stream_options?.include_usage === true
    return answerModelRun(
      ready,
      {
        headers: { 'troupe-run-id': runId },
        isStream: body.stream === true,
        stream: (started, buffer, answer) =>
          streamCompletion(started, buffer, { head, withUsage, ...answer }),
        body: (report) => chatCompletion(head, report),
      },
      { clock: context.clock, caller },
    )
  }
}

import { answerOf } from '../answer-of.ts'
import { beginRun } from '../begin-run.ts'
import { eventStream } from '../event-stream.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { readyModelRun } from '../model-run.ts'
import { createOutbox } from '../outbox.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../routes.ts'
import { chatCompletion, streamCompletion, type CompletionHead } from './chat-completion.ts'
import { chatMessages, chatOutput, chatRequest } from './chat-request.ts'
import { openAIError } from './openai-error.ts'

/** `POST /openai/v1/chat/completions`: the model is an agent, the conversation is the client's. */
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
    const headers = { 'troupe-run-id': runId }
    const ready = readyModelRun(
      { agent, conversation, wish: chatOutput(asked, agent), runId },
      { request: req.raw, caller },
      context,
    )
    if (isFailure(ready)) return openAIError(ready)
    if (asked.stream === true) {
      const begun = await beginRun(ready.run)
      if ('refused' in begun) return openAIError(begun.refused, headers)
      const outbox = createOutbox({ dropped: () => caller.cut() })
      const withUsage = asked.stream_options?.include_usage === true
      streamCompletion(begun, outbox, { head, isWhole: ready.isJson, withUsage })
      return eventStream(outbox, { clock: context.clock, caller, headers })
    }
    const report = answerOf(await ready.run())
    return isFailure(report)
      ? openAIError(report, headers)
      : Response.json(chatCompletion(head, report), { headers })
  }
}

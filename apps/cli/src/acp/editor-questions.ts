import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationResponse,
  type ElicitationSchema,
} from '@agentclientprotocol/sdk'
import type { FormAnswer } from '@troupe/meta-mcp'
import { isJsonObject, type Asker, type PersonAnswer, type RunEvent } from '@troupe/schema'
import { eventCorrelation } from '@troupe/timeline'

/** Questions of one turn, which the user answers in forms of the editor. */
export interface EditorQuestions {
  /** Records the tool calls that ask questions. */
  onEvent(event: RunEvent): void
  /** `undefined` if the editor does not support forms. */
  readonly ask: Asker | undefined
}

/** The call that asks a question. */
interface AskingCall {
  readonly toolCallId?: string
  /** Name of the agent; `undefined` for the agent of the session. */
  readonly child?: string
}

/** Creates an asker that sends `elicitation/create` to the editor. */
export function createEditorQuestions(
  client: AgentContext,
  sessionId: string,
  { elicitation }: ClientCapabilities,
): EditorQuestions {
  // Calls whose questions were not sent yet, the oldest first.
  const calls = new Map<string, AskingCall[]>()

  async function ask(
    { runId, toolName, ...question }: Parameters<Asker>[0],
    signal: AbortSignal,
  ): Promise<PersonAnswer> {
    const { questionForm, readAnswer } = await import('@troupe/meta-mcp')
    const { child, ...call } = calls.get(keyOf({ runId, toolName }, question))?.shift() ?? {}
    const { message, schema } = questionForm(question)
    try {
      const response = await client.request(
        methods.client.elicitation.create,
        {
          mode: 'form',
          sessionId,
          ...call,
          message: child === undefined ? message : `${child}: ${message}`,
          requestedSchema: schema as ElicitationSchema,
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      )
      return (
        readAnswer(question, toFormAnswer(response)) ?? unanswered('the answer of the editor is not valid')
      )
    } catch {
      return unanswered('the editor did not answer')
    }
  }

  return {
    onEvent(event) {
      if (event.type !== 'approval-request' || event.asks === undefined) return
      const key = keyOf(event, event.asks)
      const toolCallId = eventCorrelation(event)
      const isChild = event.runId !== event.rootRunId
      const call = {
        ...(toolCallId === undefined ? {} : { toolCallId }),
        ...(isChild ? { child: event.agent } : {}),
      }
      calls.set(key, [...(calls.get(key) ?? []), call])
    },
    ask: elicitation?.form === undefined || elicitation.form === null ? undefined : ask,
  }
}

function keyOf(
  { runId, toolName }: { readonly runId: string; readonly toolName: string },
  { question }: { readonly question: string },
): string {
  return JSON.stringify([runId, toolName, question])
}

/** Converts a response. Actions that this version of the protocol does not have are no answer. */
function toFormAnswer(response: CreateElicitationResponse): FormAnswer {
  if (response.action === 'decline') return { action: 'decline' }
  if (response.action !== 'accept') return { action: 'cancel' }
  const { content } = response
  return { action: 'accept', ...(isJsonObject(content) ? { content } : {}) }
}

function unanswered(reason: string): PersonAnswer {
  return { answered: false, reason }
}

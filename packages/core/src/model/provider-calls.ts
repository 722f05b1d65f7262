import { isJsonObject, type Failure, failure } from '@troupe/schema'
import type { PreparedAgent } from '@troupe/schema/ports'
import type { LoggedRun } from '../log/run-log.ts'
import { toJson } from '../run/json.ts'
import type { CompleteAnswer } from './read-answer.ts'

type AnswerPart = CompleteAnswer['content'][number]
type ProviderCallPart = Extract<AnswerPart, { type: 'tool-call' }>
type ProviderResultPart = Extract<AnswerPart, { type: 'tool-result' }>

/** Appends events for the calls that the provider executed within an answer, and for their results. */
export function appendProviderCalls(
  run: LoggedRun,
  { tools }: PreparedAgent,
  { content }: CompleteAnswer,
): void {
  if (!run.log.hasListeners) return
  const results = content.filter((part) => part.type === 'tool-result')
  for (const [index, call] of content.filter(isProviderCall).entries())
    appendCall(run, call, {
      toolName: tools.get(call.toolName)?.name ?? call.toolName,
      ordinal: index + 1,
      result: results.find(({ toolCallId }) => toolCallId === call.toolCallId),
    })
}

function isProviderCall(part: AnswerPart): part is ProviderCallPart {
  return part.type === 'tool-call' && part.providerExecuted === true
}

function appendCall(
  run: LoggedRun,
  { toolCallId: toolUseId, input }: ProviderCallPart,
  call: {
    readonly toolName: string
    readonly ordinal: number
    readonly result: ProviderResultPart | undefined
  },
): void {
  const { toolName, ordinal, result } = call
  const { turn } = run.progress
  const callId = `provider-${turn}.${ordinal}`
  const tool = { toolName, source: 'provider', server: 'provider' } as const
  const args = isJsonObject(input) ? input : {}
  run.log.appendEvent('tool-call', { ...tool, args, turn, ordinal, toolUseId }, { callId })
  const text = result === undefined ? '' : textOf(result)
  const error = result === undefined ? undefined : errorOf(result)
  run.log.appendEvent(
    'tool-result',
    {
      ...tool,
      outcome: error === undefined ? 'completed' : 'failed',
      content: text === '' ? [] : [{ type: 'text', text }],
      ...(error === undefined ? {} : { error }),
      attempts: 1,
      durationMs: 0,
      bytesIn: Buffer.byteLength(JSON.stringify(args)),
      bytesOut: Buffer.byteLength(text),
    },
    { callId },
  )
}

function textOf({ output }: ProviderResultPart): string {
  return 'value' in output ? JSON.stringify(toJson(output.value)) : ''
}

function errorOf({ output, toolName }: ProviderResultPart): Failure | undefined {
  return output.type === 'error-json' || output.type === 'error-text'
    ? failure('tool_failed', `The provider could not execute ${toolName}.`)
    : undefined
}

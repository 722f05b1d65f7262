import { isJsonObject, resultText, toolResult, type Json, type ToolResult } from '@troupe/schema'
import type { Guards } from '@troupe/schema/ports'
import { reopenGuardAgents } from '../guards/ask-guard-agent.ts'
import { checkTexts } from '../guards/check-texts.ts'
import { prepareCall, type PreparedCall } from './prepare-call.ts'
import type { ToolRun } from './read-result.ts'
import { textOfValue } from '../run/json.ts'

/**
 * Checks the arguments of a call with the guards of its agent, before anything shows or uses them. Returns the call
 * to make: with other arguments, with an approval that it needs, or refused and without its arguments.
 */
export async function guardToolCall(run: ToolRun, call: PreparedCall): Promise<PreparedCall> {
  const { site, args, wireName, refusal } = call
  const guards = run.prepared.guards?.toolCall ?? []
  if (guards.length === 0 || (refusal === undefined && Object.keys(args).length === 0)) return call
  const toolName = nameOf(call)
  const { denied, texts, isChanged, approval } = await checkTexts(run, guards, {
    place: 'toolCall',
    ordinal: site.ordinal,
    // the message of a refusal may quote the arguments
    texts: refusal === undefined ? [args] : [args, resultText(refusal)],
    what: `the call of ${toolName}`,
    toolName,
    key: site.callId,
  })
  if (denied !== undefined) return { ...call, args: {}, refusal: toolResult.failed(denied) }
  const checked = approval === undefined ? call : { ...call, guardApproval: approval }
  const [changed, message] = texts
  if (!isChanged || !isJsonObject(changed)) return checked
  if (refusal !== undefined)
    return { ...call, args: changed, refusal: withResultTexts(refusal, [message ?? '', message ?? '']) }
  const request = { toolUseId: site.toolUseId, wireName, input: JSON.stringify(changed) }
  return { ...checked, ...prepareCall(run, run.truncated.agent, request, site), site }
}

/** Checks the result of a call with the guards of its agent. Returns the result that the model reads. */
export async function guardToolResult(
  run: ToolRun,
  call: PreparedCall,
  result: ToolResult,
): Promise<ToolResult> {
  const guards = run.prepared.guards?.toolResult ?? []
  const texts = resultTexts(result)
  if (guards.length === 0 || texts.length === 0) return result
  const toolName = nameOf(call)
  const { denied, isChanged, ...verdict } = await checkTexts(run, guards, {
    place: 'toolResult',
    ordinal: call.site.ordinal,
    texts,
    what: `the result of ${toolName}`,
    toolName,
    key: `${call.site.callId}-result`,
  })
  if (denied !== undefined) {
    const { childRunId } = result
    return { ...toolResult.failed(denied), ...(childRunId === undefined ? {} : { childRunId }) }
  }
  return isChanged ? withResultTexts(result, verdict.texts) : result
}

/** Opens the recorded child runs of the guards of a result, so that a replay contains them. */
export async function reopenResultGuards(run: ToolRun, { site }: PreparedCall): Promise<void> {
  const guards: Guards['toolResult'] = run.prepared.guards?.toolResult ?? []
  await reopenGuardAgents(run, guards, { place: 'toolResult', ordinal: site.ordinal })
}

function nameOf({ tool, wireName }: PreparedCall): string {
  return tool?.name ?? wireName
}

/** Returns the texts of a result that its model will read, and the message of its failure. */
function resultTexts(result: ToolResult): readonly Json[] {
  const texts: Json[] = []
  mapResult(result, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Returns a result with other texts. Its structured value is dropped, because it repeats the old ones. */
function withResultTexts(
  { structured: _structured, ...result }: ToolResult,
  texts: readonly Json[],
): ToolResult {
  let index = -1
  return mapResult(result, () => {
    index += 1
    return textOfValue(texts[index] ?? '')
  })
}

function mapResult(result: ToolResult, change: (text: string) => string): ToolResult {
  const { content, failure, merge } = result
  return {
    ...result,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part)),
    ...(failure === undefined ? {} : { failure: { ...failure, message: change(failure.message) } }),
    ...(merge === undefined ? {} : { merge: merge.map((message) => mapMessage(message, change)) }),
  }
}

type MergedMessage = NonNullable<ToolResult['merge']>[number]

/** Applies `change` to the texts of a message that a child merges into the conversation. */
function mapMessage(message: MergedMessage, change: (text: string) => string): MergedMessage {
  if (message.role !== 'user') return message
  const content = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: change(part.text) } : part,
  )
  return { ...message, content }
}

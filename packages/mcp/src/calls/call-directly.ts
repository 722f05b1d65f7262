import type { Progress } from '@modelcontextprotocol/client'
import { toolResult, type JsonObject } from '@troupe/schema'
import { callFailure } from './call-failure.ts'
import { progressText, type CallOutcome, type ServerToolCall } from './call-tool.ts'
import { plainResult } from './plain-result.ts'
import type { StdioTransport } from '../stdio/stdio-transport.ts'

/** An answer that the SDK has to take: it gets it when it sends these arguments. */
export interface HandedOver {
  readonly args: JsonObject
}

/** Calls a tool past the SDK, as far as that goes. */
export async function callDirectly(
  transport: StdioTransport,
  call: Omit<ServerToolCall, 'client'>,
  { era }: { readonly era: 'modern' | 'legacy' },
): Promise<CallOutcome | HandedOver> {
  const { tool, args, ctx, stop } = call
  try {
    const answer = await transport.calls.call({
      name: tool.name,
      args,
      stop,
      onProgress: (params) => tellProgress(ctx, params),
    })
    if (answer === undefined || stop.reason !== undefined)
      return { result: toolResult.failed(callFailure(undefined, { ...call, stopped: stop.reason })) }
    const result = plainResult(answer, { era })
    if (result !== undefined) return { result }
    // a copy, as arguments may be shared by calls
    const own = { ...args }
    transport.answer(own, answer)
    return { args: own }
  } catch (thrown) {
    return { result: toolResult.failed(callFailure(thrown, { ...call, stopped: stop.reason })), thrown }
  }
}

/** As a server says it: what is no progress is left out. */
function tellProgress(
  ctx: ServerToolCall['ctx'],
  { progress, total, message }: Readonly<Record<string, unknown>>,
): void {
  if (typeof progress !== 'number') return
  const said: Progress = {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
  ctx.progress(progressText(said))
}

import {
  defineTool,
  errorMessage,
  matchChoice,
  troupeError,
  type ToolContext,
  type ToolDefinition,
} from '@troupe/schema'
import type { FinishReason, ModelMessage, TextStreamPart, ToolApprovalResponse, ToolSet } from 'ai'
import * as z from 'zod'

/** An agent of the AI SDK that needs no call options: a `ToolLoopAgent`, or another `Agent`. */
export interface AiAgent {
  stream(options: {
    readonly messages: ModelMessage[]
    readonly abortSignal: AbortSignal
  }): PromiseLike<AiAgentStream>
}

/** The members of a streamed result that are used. */
interface AiAgentStream {
  readonly stream: AsyncIterable<AiStreamPart>
  readonly text: PromiseLike<string>
  readonly finishReason: PromiseLike<FinishReason>
  readonly responseMessages: PromiseLike<readonly ModelMessage[]>
}

type AiStreamPart = TextStreamPart<ToolSet>

/** Options of {@link fromAiAgent}. */
export interface AiAgentOptions {
  /** Tells the model when to call the agent. */
  readonly description: string
  /** Default: `once`. */
  readonly effect?: ToolDefinition['effect']
  /** Time limit of a call in ms. Default: `limits.toolTimeout` of the calling agent. */
  readonly timeout?: number
}

/** Maximum number of times that a call continues after approvals. */
const MAX_ROUNDS = 50

/**
 * Converts an agent of the AI SDK to a tool with the input `{ prompt }`. A call of a tool that needs approval is a
 * question to the person behind the run; it is denied without an answer. The usage of the agent is not counted.
 */
export function fromAiAgent(name: string, agent: AiAgent, options: AiAgentOptions): ToolDefinition {
  return defineTool({
    name,
    ...options,
    input: z.object({ prompt: z.string().describe('The task, with everything the agent needs to know') }),
    execute: ({ prompt }, ctx) => runAgent(name, agent, { prompt, ctx }),
  })
}

async function runAgent(
  name: string,
  agent: AiAgent,
  { prompt, ctx }: { readonly prompt: string; readonly ctx: ToolContext },
): Promise<string> {
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = await agent.stream({ messages: [...messages], abortSignal: ctx.signal })
    const requests = await readParts(name, result.stream, ctx)
    if (requests.length === 0) return answerOf(name, result)
    const responses = await Promise.all(requests.map((request) => decide(name, request, ctx)))
    messages.push(...(await result.responseMessages), { role: 'tool', content: responses })
  }
  throw troupeError('tool_failed', `The agent ${name} asked for approvals more than ${MAX_ROUNDS} times.`)
}

type ApprovalPart = Extract<AiStreamPart, { readonly type: 'tool-approval-request' }>

/** Reports the progress of a run to its end. Returns the calls that wait for an approval. Throws its error. */
async function readParts(
  name: string,
  stream: AsyncIterable<AiStreamPart>,
  { signal, progress }: ToolContext,
): Promise<readonly ApprovalPart[]> {
  const requests: ApprovalPart[] = []
  for await (const part of stream) {
    signal.throwIfAborted()
    if (part.type === 'tool-call') progress(`${name} calls ${part.toolName}`)
    if (part.type === 'tool-approval-request' && part.isAutomatic !== true) requests.push(part)
    if (part.type === 'error')
      throw troupeError('tool_failed', `The agent ${name} failed: ${errorMessage(part.error)}`, {
        cause: part.error,
      })
    if (part.type === 'abort') throw troupeError('tool_failed', `The agent ${name} was stopped.`)
  }
  return requests
}

async function answerOf(name: string, result: AiAgentStream): Promise<string> {
  const text = await result.text
  const reason = await result.finishReason
  if (text !== '' && reason !== 'error') return text
  throw troupeError('tool_failed', `The agent ${name} ended without an answer (${reason}).`)
}

/** Maximum length of the arguments in a question in characters. */
const MAX_ARGUMENTS = 2000

/** Asks the person behind the run. Anything but a clear approval denies the call. */
async function decide(
  name: string,
  { approvalId, toolCall: { toolName, input } }: ApprovalPart,
  { ask }: ToolContext,
): Promise<ToolApprovalResponse> {
  const choices = ['approve', 'deny']
  const args = (JSON.stringify(input) ?? '').slice(0, MAX_ARGUMENTS)
  const question = { question: `May the agent ${name} call ${toolName} with ${args}?`, choices }
  const answer = await ask({ ...question, name: approvalId })
  const type = 'tool-approval-response'
  if (!answer.answered) return { type, approvalId, approved: false, reason: answer.reason }
  const approved = matchChoice(question, answer.text) === 'approve'
  return { type, approvalId, approved, ...(approved ? {} : { reason: answer.text }) }
}

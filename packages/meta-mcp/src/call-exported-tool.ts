import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import {
  failure,
  toFailure,
  type AgentDefinition,
  type AgentRunner,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type ValidateArguments,
} from '@troupe/schema'
import { fillPromptTemplate } from '@troupe/tools/prompt-template'
import type { CallRecord } from './call-record.ts'
import type { ExportedTool } from './exported-tool.ts'
import type { RunningCall } from './running-call.ts'
import { failedResult, toCallResult } from './to-call-result.ts'

/** What calls are made with. */
export interface CallServices {
  readonly agent: AgentDefinition
  readonly runner: Pick<AgentRunner, 'run'>
  readonly validate: ValidateArguments
  newContextId(): string
  onCall?(record: CallRecord): void
}

/** What one call is made of. */
export interface CallParts {
  readonly services: CallServices
  readonly context: ServerContext
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** None: nobody can be asked. */
  readonly person: Pick<RunOptions, 'approve' | 'ask'> | undefined
}

/**
 * One call: the arguments fill the prompt, and a run of the agent answers it (D23), in a session of its own (D29) or in that of an earlier
 * call whose `contextId` it brings (D52). Never rejects.
 */
export async function callExportedTool(
  tool: ExportedTool,
  args: JsonObject,
  parts: CallParts,
): Promise<CallToolResult> {
  const { services, context } = parts
  const given = givenContext(context)
  const contextId = typeof given === 'string' ? given : services.newContextId()
  const place = { agent: services.agent.name, contextId, output: services.agent.output }
  const tell = (end: Pick<CallRecord, 'outcome'> & Partial<CallRecord>): void =>
    services.onCall?.({ tool: tool.name, contextId, ...end })
  const fail = (reason: Failure): CallToolResult => {
    tell({ outcome: 'failed', error: reason })
    return failedResult(reason, place)
  }
  if (typeof given === 'object') return fail(given)
  const prompt = toPrompt(tool, args, services)
  if (typeof prompt !== 'string') return fail(prompt)
  try {
    const session = { sessionId: contextId, continueOnly: given !== undefined }
    const report = await run(prompt, session, parts)
    const { runId, outcome, error, durationMs } = report
    tell({ runId, outcome, durationMs, ...(error === undefined ? {} : { error }) })
    return toCallResult(report, place)
  } catch (thrown) {
    return fail(toFailure(thrown))
  }
}

/** The session that the call wants to go on with; undefined: none. */
function givenContext({ mcpReq }: ServerContext): string | Failure | undefined {
  const { contextId } = mcpReq._meta ?? {}
  if (contextId === undefined) return undefined
  if (typeof contextId === 'string' && contextId !== '') return contextId
  return failure(
    'input_invalid',
    '_meta.contextId is no text.',
    'Pass the one of an earlier result, or none.',
  )
}

/** The filled prompt (R15), or what is wrong with the call. */
function toPrompt(tool: ExportedTool, args: JsonObject, { validate }: CallServices): string | Failure {
  const valid = validate(tool.parameters, args)
  if (!valid.ok)
    return failure(
      'tool_bad_arguments',
      `The arguments do not fit ${tool.wireName}: ${valid.problems.join('; ')}`,
    )
  return fillPromptTemplate(tool.template, { subject: tool.subject, args: valid.args, mode: 'run' })
}

/** With a person at the other end what asks is asked; else tools that ask are not offered (R16). */
function run(
  prompt: string,
  session: Pick<RunOptions, 'sessionId' | 'continueOnly'>,
  { services, call, person }: CallParts,
): Promise<RunReport> {
  return services.runner.run(services.agent.name, prompt, {
    signal: call.signal,
    ...session,
    ...(person ?? { headless: true }),
    onEvent: call.onEvent,
  })
}

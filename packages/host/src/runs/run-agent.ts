import { createEventQueue, randomId } from '@troupe/core'
import { acceptedInputSchema, toFilledInput, type FilledInput } from '@troupe/registry'
import {
  failure,
  type AgentDefinition,
  type Failure,
  type JsonObject,
  type MaybePromise,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { isJsonTooDeep, MAX_JSON_DEPTH } from '@troupe/schema/json'
import type { AcceptedRun, ValidateArguments } from '@troupe/schema/ports'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { brokenReport, failedReport, reportBase } from './report.ts'
import { overridesOf, toRequest } from './execute-root-run.ts'
import { noteOfRun, type RunsContext } from './runs-context.ts'
import { acceptRootRun, startRootRun } from './start-root-run.ts'

/**
 * Runs an agent, by default the entry agent. Invalid input and agents with errors result in failed reports.
 * Rejects if the host is closed or the agent is unknown.
 */
export function runAgent(
  agent: AgentToRun,
  input: unknown,
  options: RunOptions,
  context: RunsContext,
): Promise<RunReport> {
  return withRootRun({ agent, input, options }, context, (root) => startRootRun(root, context))
}

/**
 * Accepts a run of an agent like {@link runAgent}, and stores its request. Returns the report of a run that is
 * refused.
 */
export function acceptRun(
  agent: AgentToRun,
  input: unknown,
  options: RunOptions,
  context: RunsContext,
): Promise<AcceptedRun | RunReport> {
  return new Promise((resolve, reject) => {
    withRootRun({ agent, input, options }, context, (root) => acceptRootRun(root, context, resolve)).then(
      resolve,
      reject,
    )
  })
}

type AgentToRun = string | undefined | AgentDefinition

/** Calls `work` with the root run of an agent. Returns the report of a run that cannot start. */
function withRootRun(
  run: { readonly agent: AgentToRun; readonly input: unknown; readonly options: RunOptions },
  context: RunsContext,
  work: (root: Parameters<typeof startRootRun>[0]) => Promise<RunReport>,
): Promise<RunReport> {
  const { agent, input, options } = run
  const name = typeof agent === 'object' ? agent.name : agent
  const { team, validate, requireOpen } = context
  const start = async (snapshot: TeamSnapshot): Promise<RunReport> => {
    const broken = brokenReport(snapshot.loaded, name, options)
    if (broken !== undefined) return team.redact(broken)
    requireOpen()
    const { definition } = findAgent(snapshot.loaded, name).member
    const first = await toInput(definition, input as string | JsonObject, { ...options, validate })
    if ('class' in first) return team.redact(failedReport(first, reportBase(definition, options)))
    const { runId = randomId('run') } = options
    const noted = { ...options, runId, ...noteOfRun(options.note, snapshot, context) }
    const request = { ...toRequest(definition, first.input, noted), ...first }
    return work({ team: snapshot, definition, request, options })
  }
  return useTeam(team, start, overridesOf(options))
}

/**
 * Converts the input of an agent to its first message. A text is used as it is, unless it is empty and the card
 * has a message; an object is validated and converted like call arguments. Returns a failure for invalid input.
 */
export function toInput(
  definition: AgentDefinition,
  input: string | JsonObject,
  { validate, attachments = [] }: { readonly validate: ValidateArguments } & Pick<RunOptions, 'attachments'>,
): MaybePromise<FilledInput | Failure> {
  if (attachments.length > 0 && definition.type !== 'agent')
    return failure(
      'input_invalid',
      `${definition.name} is a ${definition.type}, which does not accept attachments.`,
      'Send the files to an agent of type `agent`.',
    )
  const isDefault = input === '' && definition.input.message !== undefined
  if (typeof input === 'string' && !isDefault) return { input }
  return fromObject(definition, typeof input === 'string' ? {} : input, validate)
}

function fromObject(
  definition: AgentDefinition,
  input: JsonObject,
  validate: ValidateArguments,
): MaybePromise<FilledInput | Failure> {
  if (isJsonTooDeep(input))
    return failure(
      'input_invalid',
      `The input of the agent ${definition.name} is nested more than ${MAX_JSON_DEPTH} levels deep.`,
    )
  const valid = validate(acceptedInputSchema(definition), input)
  if (valid.ok) return toFilledInput(definition, valid.args)
  return failure(
    'input_invalid',
    `The input does not match the schema of the agent ${definition.name}: ${valid.problems.join('; ')}`,
  )
}

/** Yields the events of a run and returns its report. Cancels the run if the consumer stops early. */
export async function* streamRun(
  run: (options: RunOptions) => Promise<RunReport>,
  options: RunOptions,
): AsyncGenerator<RunEvent, RunReport> {
  const queue = createEventQueue()
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const onEvent: RunOptions['onEvent'] = (event) => {
    queue.push(event)
    options.onEvent?.(event)
  }
  const running = run({ ...options, signal, onEvent }).finally(queue.close)
  // The consumer gets the error from `await running` below. Until then it must not count as an unhandled
  // rejection.
  running.catch(() => undefined)
  try {
    yield* queue
    return await running
  } finally {
    stop.abort()
    await Promise.allSettled([running])
  }
}

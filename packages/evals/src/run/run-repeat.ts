import {
  toFailure,
  toolResult,
  type ApprovalDecision,
  type Attachment,
  type Failure,
  type RunEvent,
  type RunOptions,
  type RunReport,
  type ToolResult,
} from '@troupe/schema'
import type { InterceptedCall } from '@troupe/schema/ports'
import type { EvalCase } from '../cases/eval-case.ts'
import { createStubbedTools, type StubbedTools } from '../cases/tool-stub.ts'
import { answerOf } from '../checks/check-input.ts'
import { runChecks, type EvalCheckContext } from '../checks/run-checks.ts'
import { createCallRecorder, type AnswerSource, type CallRecorder } from '../recordings/call-recorder.ts'
import type { EvalRepeat } from '../report/eval-report.ts'
import type { EvalTeam } from '../teams/eval-team.ts'
import { outsideFailure } from './outside-failure.ts'
import type { CountedRepeat } from './totals.ts'

/** One repeat of a case, and what it runs on. */
export interface RepeatTask {
  readonly case: EvalCase
  /** Counted from 0. */
  readonly index: number
  readonly team: EvalTeam
  /** Default: the entry of the team. */
  readonly agent: string | undefined
  /** Default: the models of the cards. */
  readonly model: string | undefined
  readonly attachments: readonly Attachment[]
  /** Absolute path of the folder of the case file. */
  readonly folder: string
}

/** Dependencies and settings that the repeats of an evaluation share. */
export interface RepeatContext {
  readonly answers: AnswerSource
  /** Time limit of each run in ms, instead of that of the case. */
  readonly timeout?: number | undefined
  /** True to approve every call that asks. */
  readonly approveAll: boolean
  readonly signal?: AbortSignal | undefined
  /** Receives the durable events of each run. */
  readonly onEvents?: ((runId: string, events: readonly RunEvent[]) => void) | undefined
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0, cost: 0, durationMs: 0 }

/** Runs a case once and checks it. Never rejects: whatever breaks is an error of the repeat. */
export async function runRepeat(
  task: RepeatTask,
  context: RepeatContext,
  checks: EvalCheckContext,
): Promise<CountedRepeat> {
  const { index, team } = task
  const { answers } = context
  if (context.signal?.aborted === true) return broken(index, NOT_STARTED)
  if (answers.spending?.isExceeded === true) return broken(index, OVER_BUDGET)
  const recorder = createCallRecorder(answers, { repeat: index, redact: (value) => team.redact(value) })
  const events: RunEvent[] = []
  try {
    const report = await startRun(task, { recorder, events }, context)
    context.onEvents?.(report.runId, events)
    return await checkRun(task, { report, events, recorder }, checks)
  } catch (thrown) {
    return broken(index, toFailure(thrown))
  }
}

const NOT_STARTED: Pick<Failure, 'code' | 'message'> = {
  code: 'run_cancelled',
  message: 'The evaluation was stopped before this repeat.',
}
const OVER_BUDGET: Pick<Failure, 'code' | 'message'> = {
  code: 'budget_exceeded',
  message: 'The budget of the evaluation was used up before this repeat.',
}

function broken(index: number, { code, message }: Pick<Failure, 'code' | 'message'>): CountedRepeat {
  const repeat: EvalRepeat = {
    index,
    status: 'error',
    checks: [],
    error: { code, message },
    usage: NO_USAGE,
    recorded: false,
  }
  return { repeat, modelCalls: { asked: 0, recorded: 0 } }
}

function startRun(
  { case: evalCase, team, agent, model, attachments }: RepeatTask,
  { recorder, events }: { readonly recorder: CallRecorder; readonly events: RunEvent[] },
  { timeout = evalCase.timeout, approveAll, signal }: RepeatContext,
): Promise<RunReport> {
  const { input, earlier, budget, stubs } = evalCase
  const stubbed = createStubbedTools(stubs)
  const options: RunOptions = {
    deltas: false,
    onEvent: (event) => {
      if (event.seq !== undefined) events.push(event)
    },
    approve: ({ toolName }) => decide(approveAll || stubbed.has(toolName)),
    interceptor: {
      openModel: recorder.openModel,
      callTool: (call) => stubResult(call, stubbed),
    },
    ...(earlier.length === 0 ? {} : { messages: earlier }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(model === undefined ? {} : { model }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(budget === undefined ? {} : { budget: { maxCost: budget } }),
    ...(signal === undefined ? {} : { signal }),
  }
  return team.run(agent, input, options)
}

/** A stubbed call has no effect, so it needs no person. */
function decide(isApproved: boolean): ApprovalDecision {
  return isApproved
    ? { decision: 'approved' }
    : { decision: 'denied', reason: 'calls are not approved in an evaluation' }
}

function stubResult({ toolName, args }: InterceptedCall, stubbed: StubbedTools): ToolResult | undefined {
  if (!stubbed.has(toolName)) return undefined
  const stub = stubbed.next(toolName, args)
  if (stub === undefined)
    return toolResult.error('tool_failed', `The stubs of ${toolName} have no answer for these arguments.`)
  if (stub.error !== undefined) return toolResult.error('tool_failed', stub.error)
  const value = stub.return ?? null
  return typeof value === 'string' ? toolResult.text(value) : toolResult.json(value)
}

async function checkRun(
  { case: evalCase, index, folder }: RepeatTask,
  {
    report,
    events,
    recorder,
  }: { readonly report: RunReport; readonly events: readonly RunEvent[]; readonly recorder: CallRecorder },
  context: EvalCheckContext,
): Promise<CountedRepeat> {
  const { recorded } = recorder
  const { usage, durationMs, runId, outcome } = report
  const modelCalls = { asked: Math.max(0, usage.modelCalls - recorded), recorded }
  const base = {
    index,
    runId,
    outcome,
    output: answerOf(report),
    usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, cost: usage.cost, durationMs },
    recorded: recorded > 0 && modelCalls.asked === 0,
  }
  const outside = recorder.refusal ?? outsideFailure(report, events)
  const run = { case: evalCase, folder, report, events, isRecorded: recorded > 0 }
  let reason: Pick<Failure, 'code' | 'message'> | undefined = outside ?? report.error
  let results: EvalRepeat['checks'] = []
  let isBroken = recorder.refusal !== undefined
  if (!isBroken)
    try {
      results = await runChecks(run, context)
    } catch (thrown) {
      reason = toFailure(thrown)
      isBroken = true
    }
  const hasPassed = !isBroken && results.every(({ passed, gate }) => passed || !gate)
  const status = hasPassed ? 'passed' : isBroken || outside !== undefined ? 'error' : 'failed'
  const error =
    reason === undefined || hasPassed ? {} : { error: { code: reason.code, message: reason.message } }
  return { repeat: { ...base, status, checks: results, ...error }, modelCalls }
}

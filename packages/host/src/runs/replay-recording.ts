import {
  createReplay,
  differenceText,
  firstDifference,
  readCassette,
  type Cassette,
  findRecordedAgent,
  type CassetteReplay,
  type RecordedModel,
  type RecordedTool,
} from '@troupe/cassette'
import { childRunId, createDiscardingLog } from '@troupe/core'
import {
  failure,
  outcomeOf,
  type JsonObject,
  type RunOptions,
  type RunReport,
  TroupeError,
  troupeError,
  type ToolDefinition,
} from '@troupe/schema'
import { createInProcessExecutor, type InProcessExecutor } from '@troupe/registry'
import type { ModelHandle, PreparedAgent, Redactor, ValidateArguments } from '@troupe/schema/ports'
import { findAgent, requireRunnable } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import { assembleTools } from '../tools/assemble-tools.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { executeRootRun, toRequest, type RootRun } from './execute-root-run.ts'
import { failedReport, reportBase } from './report.ts'
import { toInput } from './run-agent.ts'
import type { RunsContext } from './runs-context.ts'

/** Options of `Host.replay`. */
export interface ReplayOptions extends Pick<RunOptions, 'signal' | 'onEvent'> {
  /** Name of the recording in messages. */
  readonly file?: string
  /**
   * Must be equal to the recorded input, else the replay fails with `replay_mismatch`. Default: the recorded
   * input.
   */
  readonly input?: string | JsonObject
}

/**
 * Replays a recording without a model, tool or server, with all external input from the recording. Nothing is
 * persisted. Rejects if the text is not a recording.
 */
export function replayRecording(
  text: string,
  { file = 'The recording', ...options }: ReplayOptions,
  context: RunsContext,
): Promise<RunReport> {
  return useTeam(context.team, async (snapshot) => {
    context.requireOpen()
    const cassette = readCassette(text, file)
    const { definition } = findAgent(snapshot.loaded, cassette.agent).member
    const first = await toInput(definition, options.input ?? cassette.input, context)
    const found = 'class' in first ? undefined : firstDifference(cassette.input, first.input)
    if (found !== undefined)
      return failedReport(
        failure('replay_mismatch', `${differenceText(found, `The input of ${file}`)}.`),
        reportBase(definition, options),
      )
    return replayRootRun(cassette, { snapshot, definition, options }, context)
  })
}

function replayRootRun(
  cassette: Cassette,
  run: Pick<RootRun, 'definition' | 'options'> & { readonly snapshot: TeamSnapshot },
  context: RunsContext,
): Promise<RunReport> {
  const { clock, validate } = context
  const { snapshot, definition } = run
  const { runId, attachments, output, sessionId, headless, history, values } = cassette
  const options = { ...run.options, ...omitUndefined({ attachments, output, sessionId, headless }) }
  const request = {
    ...toRequest(definition, cassette.input, { ...options, runId }),
    ...omitUndefined({ history, values }),
  }
  return context.live.start(runId, async (handle) => {
    const redactor = replayRedactor(snapshot.redactor)
    const replay = createReplay(cassette, {
      childId: childRunId,
      clock,
      seal: redactor.seal,
      onMismatch: (reason) => handle.stop.cancel(reason),
    })
    const executor = createReplayExecutor(snapshot.loaded, { cassette, replay, validate })
    const team = { ...snapshot, redactor, executor }
    const log = replay.log(createDiscardingLog())
    const root = { team, definition, request, options, log, recording: replay }
    const report = await executeRootRun(root, handle, context)
    const { mismatch } = replay
    return mismatch === undefined ? report : { ...report, outcome: 'failed', error: mismatch }
  })
}

/** Returns the properties that are not `undefined`, so that spreading them overwrites nothing. */
function omitUndefined<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

/**
 * Creates an executor that uses the tools and models of the recording, so that a replay needs no servers and
 * no keys.
 */
function createReplayExecutor(
  loaded: LoadedTeam,
  parts: {
    readonly cassette: Cassette
    readonly replay: CassetteReplay
    readonly validate: ValidateArguments
  },
): InProcessExecutor {
  return createInProcessExecutor({
    catalogue: loaded.catalogue,
    prepare: async (definition, { runId, ancestry }) => {
      const refusal = parts.replay.refusal(runId)
      // a guard denies the input again
      if (refusal !== undefined && outcomeOf(refusal) !== 'denied') throw new TroupeError(refusal)
      const agent = findAgent(loaded, definition.name)
      requireRunnable(loaded, agent)
      const above = ancestry.flatMap(({ name }) => loaded.catalogue.get(name) ?? [])
      return { ...prepare(agent, parts), permission: effectivePermission(definition, above) }
    },
  })
}

function prepare(
  { member: { definition }, parts, servers, environment, compose }: CheckedAgent,
  { cassette, validate }: { readonly cassette: Cassette; readonly validate: ValidateArguments },
): Omit<PreparedAgent, 'permission'> {
  const { models, contextModel, tools } = findRecordedAgent(cassette, definition.name)
  const lists = servers.map(({ name }) =>
    tools.filter(({ source, server }) => source === 'mcp' && server === name).map(toTool),
  )
  const assembled = assembleTools(definition, parts, { lists, unavailable: [] })
  return {
    definition,
    system: assembled.system,
    models: models.map(toHandle),
    ...(contextModel === undefined ? {} : { contextModel: toHandle(contextModel) }),
    tools: assembled.tools,
    hooks: [],
    loopHooks: parts.loopHooks,
    ...(parts.guards === undefined ? {} : { guards: parts.guards }),
    validate,
    ...(compose === undefined ? {} : { compose }),
    env: (name) => environment.overlay.get(name),
    release: () => undefined,
  }
}

function toTool(tool: RecordedTool): ToolDefinition {
  return {
    ...tool,
    execute: () =>
      Promise.reject(
        new TroupeError(failure('internal', `The tool ${tool.name} was called during a replay.`)),
      ),
  }
}

function toHandle(model: RecordedModel): ModelHandle {
  return {
    ...model,
    limiterKey: model.id,
    open: () => {
      throw troupeError('internal', `The model ${model.id} was called during a replay.`)
    },
  }
}

/**
 * Redacts the secrets of a replayed run. A recording holds placeholders instead of their values. The
 * placeholders are never revealed and are displayed like redacted secrets.
 */
function replayRedactor(own: Redactor | undefined): Redactor {
  const redact = (text: string): string =>
    (own?.redact(text) ?? text).replaceAll(SEALED, (_, name: string) => `[redacted:${name}]`)
  return {
    redact,
    // The recording was read with literal `{{secret:` unescaped, so the escaping is undone here, too.
    seal: (text) => (own?.seal(text) ?? text).replaceAll(LITERAL, OPENING),
    reveal: (text) => text,
    startStream: () => ({ push: redact, end: () => '' }),
  }
}

const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`
const SEALED = /\{\{secret:([^{}:]+)(?::\d{1,3})?\}\}/gu

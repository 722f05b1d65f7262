import {
  findRecordedAgent,
  type Cassette,
  type CassetteReplay,
  type RecordedModel,
  type RecordedTool,
} from '@troupe/cassette'
import { createInProcessExecutor, type InProcessExecutor } from '@troupe/registry'
import { failure, TroupeError, troupeError, type ToolDefinition } from '@troupe/schema'
import type { ModelHandle, PreparedAgent, Redactor, ValidateArguments } from '@troupe/schema/ports'
import type { CheckedAgent } from '../check/check-agent.ts'
import { findAgent, requireRunnable } from '../plan/find-agent.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import { assembleTools } from '../tools/assemble-tools.ts'
import { effectivePermission } from '../tools/effective-permission.ts'

/**
 * Creates an executor that uses the tools and models of the recording, so that a replay needs no servers and
 * no keys.
 */
export function createReplayExecutor(
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
      if (refusal !== undefined) throw new TroupeError(refusal)
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
export function replayRedactor(own: Redactor | undefined): Redactor {
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

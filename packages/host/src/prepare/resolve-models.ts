import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { missingVariables } from '@troupe/env'
import { parseModelId, resolveModel } from '@troupe/models'
import { needsModel, type RunWarning } from '@troupe/registry'
import { getOwn, toFailure, troupeError, TroupeError, type Clock, type Failure } from '@troupe/schema'
import { requireModelVersion, type ModelHandle } from '@troupe/schema/ports'
import type { HostOptions } from '../config/host-options.ts'
import type { CheckedAgent } from '../check/check-agent.ts'
import { modelContext, unsetVariables, type TeamProviders } from '../check/model-checks.ts'

/** The models of an agent that can be called. */
export interface ResolvedModels {
  /** In order of fallback; at least one. */
  readonly models: readonly ModelHandle[]
  /** Warnings about models that cannot be called. */
  readonly warnings: readonly RunWarning[]
}

/** Sources of models besides the agent. */
export interface ModelSources extends TeamProviders {
  readonly own: NonNullable<HostOptions['models']>
  /** Texts of scripted models by file, as of loading the team. */
  readonly scripts: ReadonlyMap<string, string>
  /** Default: the system clock. */
  readonly clock?: Clock
}

/**
 * Resolves the models of an agent in order of fallback. A model that cannot be resolved is skipped with a
 * warning. Throws the first failure if none can be resolved.
 */
export async function resolveModels(agent: CheckedAgent, sources: ModelSources): Promise<ResolvedModels> {
  const { definition } = agent.member
  if (definition.model.length === 0 && !needsModel(definition)) return { models: [], warnings: [] }
  if (definition.model.length === 0) {
    throw troupeError('model_unset', `No model is configured for the agent ${definition.name}.`)
  }
  const models: ModelHandle[] = []
  const failures: Failure[] = []
  for (const id of definition.model) {
    try {
      models.push(await resolveModelOf(id, agent, sources))
    } catch (thrown) {
      failures.push(toFailure(thrown, 'model_unknown'))
    }
  }
  const [first] = failures
  if (models.length === 0 && first !== undefined) throw new TroupeError(first)
  return { models, warnings: failures.map(({ code, message }) => ({ code, message })) }
}

/** Resolves one model of an agent. Throws if it cannot be resolved. */
export async function resolveModelOf(
  id: string,
  agent: CheckedAgent,
  sources: ModelSources,
): Promise<ModelHandle> {
  const own = getOwn(sources.own, id)
  if (typeof own === 'function') return { id, provider: providerOf(id), limiterKey: id, open: own }
  if (own !== undefined) {
    requireModelVersion(own)
    return { id, provider: own.provider, limiterKey: own.provider, open: () => own }
  }
  const { environment, member, modelFolder: folder } = agent
  const unset = unsetVariables(id, member, environment)
  if (unset.length > 0) throw new TroupeError(missingVariables(unset, environment))
  const { providers, packageFolder, clock } = sources
  const { context, missing } = modelContext(id, { environment, providers, packageFolder, folder, clock })
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return resolveModel(id, { ...context, scripts: sources.scripts })
}

/** Returns the part of a model id before the name, or the whole id. */
function providerOf(id: string): string {
  return parseModelId(id).provider ?? id
}

/** Returns the files of the scripted models of an agent. */
export function scriptFiles({
  member,
  modelFolder,
}: Pick<CheckedAgent, 'member' | 'modelFolder'>): readonly string[] {
  return member.definition.model.flatMap((id) => {
    const { provider, name } = parseModelId(id)
    return provider === 'script' ? [resolve(modelFolder, name)] : []
  })
}

/** Reads the scripts of a team by file. Scripts in `known` are not read again. */
export function scriptTexts(
  agents: Iterable<CheckedAgent>,
  known: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const files = new Set([...agents].flatMap(scriptFiles))
  const unread = [...files].filter((file) => !known.has(file))
  return new Map([...known, ...unread.flatMap((file) => textOf(file).map((text) => [file, text] as const))])
}

function textOf(file: string): readonly string[] {
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    // The scripted model reports the error.
    return []
  }
}

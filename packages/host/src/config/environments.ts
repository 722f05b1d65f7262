import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  createOverlay,
  ENV_OPTION,
  parseEnvFile,
  type EnvLayer,
  type Overlay,
  type Secret,
} from '@troupe/env'
import { errorMessage } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'
import { ancestorFolders } from './find-config.ts'
import type { HostOptions } from './host-options.ts'
import { planError, planWarning, type PlanProblem } from './plan-problem.ts'

/** Names of sidecar env files. The first in a folder wins. */
const SIDECARS = ['troupe.env', '.ai-agent.env'] as const

/** The variables of one agent and the sources that were searched. */
export interface Environment {
  readonly overlay: Overlay
  /** All sources in search order, for messages: `override`, file paths, `process`. */
  readonly searched: readonly string[]
}

/**
 * The environments of a team, one per folder with cards. An agent sees only the sidecars of its own folder
 * and those above it.
 */
export interface Environments {
  /**
   * Returns the environment of agents whose card is in the folder. `envFiles` are those of the card's product,
   * in order of precedence, lowest first. Sidecars override them.
   */
  of(folder: string, envFiles?: readonly string[]): Environment
  /** Returns the problems of all files read so far: unreadable files and invalid lines. */
  problems(): readonly PlanProblem[]
  /** Returns the secrets of all sources read so far, including overridden values. */
  secrets(): readonly Secret[]
}

type EnvironmentsOptions = Pick<HostOptions, 'env' | 'envOverrides' | 'envFiles' | 'cwd'> & {
  /** Folder of the configuration file, the topmost one searched for sidecars. */
  readonly configFolder: string | undefined
}

/**
 * Layers the variables of each folder: overrides, env files, sidecars from the nearest folder upwards, then
 * the process environment.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const problems: PlanProblem[] = []
  const layers = new Map<string, EnvLayer>()
  const environments = new Map<string, Environment>()
  const layerOf = (file: string): EnvLayer => {
    const known = layers.get(file)
    if (known !== undefined) return known
    const layer = { origin: file, values: readEnvFile(file, problems) }
    layers.set(file, layer)
    return layer
  }
  const overrides = { origin: 'override', values: options.envOverrides ?? {} }
  const shell = { origin: 'process', values: options.env ?? {} }
  const shellOrigin = options.env === undefined ? ENV_OPTION : 'process'
  const explicit = (options.envFiles ?? []).map((file) => layerOf(resolve(options.cwd, file)))
  const build = (folder: string, envFiles: readonly string[]): Environment => {
    const ofProduct = [...new Set(envFiles)].toReversed().filter((file) => existsSync(file))
    const files = [...sidecarsOf(folder, options.configFolder), ...ofProduct]
    const found = [overrides, ...explicit, ...files.map(layerOf), shell]
    const nearest = join(folder, SIDECARS[0])
    const sidecars = files.length === 0 ? [nearest] : files
    const overridden = options.envOverrides === undefined ? [] : [overrides.origin]
    const searched = [...overridden, ...explicit.map((layer) => layer.origin), ...sidecars, shellOrigin]
    return { overlay: createOverlay(found), searched }
  }
  return {
    of: (folder, envFiles = []) => {
      const key = JSON.stringify([folder, ...envFiles])
      const known = environments.get(key)
      if (known !== undefined) return known
      const environment = build(folder, envFiles)
      environments.set(key, environment)
      return environment
    },
    problems: () => problems,
    secrets: () =>
      [overrides, ...layers.values(), shell].flatMap((layer) => createOverlay([layer]).secrets()),
  }
}

function sidecarsOf(folder: string, configFolder: string | undefined): readonly string[] {
  return sidecarsFor(folder, configFolder).filter((file) => existsSync(file))
}

/**
 * Returns the possible sidecar paths from the folder of a card up to that of the configuration. If the
 * configuration is not above the card, only these two folders are used.
 */
export function sidecarsFor(folder: string, configFolder: string | undefined): readonly string[] {
  const folders = [folder]
  if (configFolder !== undefined) {
    if (isBelow(configFolder, folder)) {
      for (const ancestor of ancestorFolders(folder)) {
        if (ancestor !== folder) folders.push(ancestor)
        if (ancestor === configFolder) break
      }
    } else if (configFolder !== folder) folders.push(configFolder)
  }
  return folders.flatMap((path) => SIDECARS.map((name) => join(path, name)))
}

function readEnvFile(file: string, problems: PlanProblem[]): EnvLayer['values'] {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (thrown) {
    problems.push(planError('config_invalid', errorMessage(thrown), { file }))
    return {}
  }
  const parsed = parseEnvFile(content, file)
  for (const { line, message } of parsed.problems) {
    problems.push(
      planWarning('config_invalid', message, { file, line, fix: 'Correct the line, or remove it.' }),
    )
  }
  return parsed.values
}

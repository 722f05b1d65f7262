import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { providerProblem } from '@troupe/models'
import { readJsonObject, shortDurations, type CardPosition } from '@troupe/cards'
import {
  errorMessage,
  isJsonObject,
  type Failure,
  type Json,
  type JsonObject,
  TroupeError,
} from '@troupe/schema'
import { expandText, expandValues, findVariables, missingVariables } from '@troupe/env'
import { configSchema, knownConfigKeys, type TroupeConfig, type WebhookConfig } from './config-schema.ts'
import type { Environment } from './environments.ts'
import { findConfig, misnamedConfig } from './find-config.ts'
import { issueTexts, type IssueText } from './issue-text.ts'
import { planError, planWarning, type PlanProblem } from './plan-problem.ts'

/** A loaded configuration and its source. Empty if it is invalid. */
export interface LoadedConfig {
  readonly config: TroupeConfig
  /** `undefined` if the configuration was passed as a value or there is none. */
  readonly file?: string
  /** Folder against which relative paths resolve. */
  readonly folder: string
  readonly problems: readonly PlanProblem[]
  /** Returns the position of a key in the file. */
  positionOf?(path: IssueText['path']): CardPosition | undefined
}

/**
 * Finds, reads and checks the configuration. Never throws; problems are reported as `config_invalid` with
 * file and key.
 */
export function readConfig(options: {
  readonly config?: string | JsonObject | false | undefined
  readonly from: string
  readonly cwd: string
  readonly home?: string | undefined
  /** Returns the environment for the variables of the configuration. */
  environmentOf(context: ConfigLocation): Environment
}): LoadedConfig {
  const { config, from, cwd, home, environmentOf } = options
  if (config === false) return { config: {}, folder: cwd, problems: [] }
  if (typeof config === 'object') return check(config, { folder: cwd, environmentOf })
  const file =
    config === undefined
      ? findConfig({ from, cwd, ...(home === undefined ? {} : { home }) })
      : resolve(cwd, config)
  if (file === undefined) return { config: {}, folder: cwd, problems: [] }
  return readFile(file, environmentOf)
}

/** File and folder of a configuration. */
export type ConfigLocation = Pick<LoadedConfig, 'file' | 'folder'>

interface ConfigContext extends ConfigLocation {
  environmentOf(context: ConfigLocation): Environment
  positionOf?(path: IssueText['path']): CardPosition | undefined
}

function readFile(file: string, environmentOf: ConfigContext['environmentOf']): LoadedConfig {
  const context = { file, folder: dirname(file), environmentOf }
  const misnamed = misnamedConfig(file)
  if (misnamed !== undefined) {
    const { message, fix } = misnamed
    const problem = planError('config_invalid', `${file}: ${message}.`, { file, fix })
    return { file, folder: context.folder, config: {}, problems: [problem] }
  }
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (thrown) {
    return invalidConfig([{ message: errorMessage(thrown) }], context)
  }
  const read = readJsonObject(content)
  if ('message' in read) return invalidConfig([{ message: read.message, position: read.position }], context)
  return check(read.value, { ...context, positionOf: read.positionOf })
}

function check(source: unknown, context: ConfigContext): LoadedConfig {
  const { file, folder, positionOf, environmentOf } = context
  const where = file === undefined ? {} : { file }
  const { value, missing }: { readonly value: unknown; readonly missing?: Failure } = isJsonObject(source)
    ? expandConfig(source, () => environmentOf({ ...where, folder }))
    : { value: source }
  // Only one configuration is parsed, so generated code would not pay off.
  const parsed = configSchema.safeParse(value, { jitless: true })
  if (parsed.success) {
    const problems = [
      ...missingProblems(missing, where),
      ...durationsWithoutUnit(value, context),
      ...providerProblems(parsed.data, context),
    ]
    const position = positionOf === undefined ? {} : { positionOf }
    return { ...where, folder, config: parsed.data, problems, ...position }
  }
  const issues = parsed.error.issues.flatMap((issue) => issueTexts(issue, knownConfigKeys))
  return invalidConfig(
    issues.map(({ text, path }) => ({ message: text, position: positionOf?.(path) })),
    context,
  )
}

/** Returns an error for missing variables, since rules and paths must not be dropped silently. */
function missingProblems(
  missing: Failure | undefined,
  where: { readonly file?: string },
): readonly PlanProblem[] {
  if (missing === undefined) return []
  const { message, remediation: fix } = missing
  return [planError('env_missing', message, { ...where, fix })]
}

/** Reports providers that would do nothing, or not what their keys say. */
function providerProblems(
  { providers = {} }: TroupeConfig,
  { file, positionOf }: ConfigContext,
): readonly PlanProblem[] {
  const where = file === undefined ? {} : { file }
  return Object.entries(providers).flatMap(([name, entry]) => {
    const problem = providerProblem(name, entry)
    if (problem === undefined) return []
    const path = ['providers', name, ...(problem.key === undefined ? [] : [problem.key])]
    const message = `${file ?? 'The configuration'}: ${path.join('.')}: ${problem.message}.`
    return [planError('config_invalid', message, { ...where, ...positionOf?.(path), fix: problem.fix })]
  })
}

/** Warns about durations that probably lack their unit. */
function durationsWithoutUnit(value: unknown, { file, positionOf }: ConfigContext): readonly PlanProblem[] {
  const where = file === undefined ? {} : { file }
  return shortDurations(value as Json).map(({ path, message, fix }) =>
    planWarning('duration_unit', `${path.join('.')}: ${message}.`, { ...where, ...positionOf?.(path), fix }),
  )
}

function invalidConfig(
  found: readonly { readonly message: string; readonly position?: CardPosition | undefined }[],
  { file, folder }: ConfigContext,
): LoadedConfig {
  const where = file === undefined ? {} : { file }
  const problems = found.map(({ message, position }) =>
    planError('config_invalid', `${file ?? 'The configuration'}: ${message}`, { ...where, ...position }),
  )
  return { ...where, folder, config: {}, problems }
}

/** Keys that sessions and surfaces expand on use, each with its own variables. */
const EXPANDED_LATER: ReadonlySet<string> = new Set([
  '$schema',
  'hooks',
  'mcpServers',
  'models',
  'providers',
  'server',
  'slack',
])

/** A configuration with the team-wide variables expanded. */
interface ExpandedConfig {
  readonly value: JsonObject
  readonly missing?: Failure
}

/**
 * Expands the variables of everything that is not specific to a session: all but servers, providers, models
 * and surfaces.
 */
function expandConfig(source: JsonObject, environmentOf: () => Environment): ExpandedConfig {
  const teamWide = Object.fromEntries(
    Object.entries(source).flatMap(([key, value]) =>
      EXPANDED_LATER.has(key) ? [] : [[key, withoutModel(key, value)]],
    ),
  )
  if (!JSON.stringify(teamWide).includes('${')) return { value: source }
  const environment = environmentOf()
  const { value, missing } = expandValues(teamWide, environment.overlay)
  const expanded = { ...source, ...value, ...defaultsOf(source, value) }
  return missing.length === 0
    ? { value: expanded }
    : { value: expanded, missing: missingVariables(missing, environment) }
}

function withoutModel(key: string, value: Json): Json {
  if (key !== 'defaults' || !isJsonObject(value)) return value
  const { model: _model, ...rest } = value
  return rest
}

/** Returns `defaults` with its model unexpanded. */
function defaultsOf({ defaults: source }: JsonObject, { defaults }: JsonObject): JsonObject {
  if (!isJsonObject(source) || !isJsonObject(defaults) || source['model'] === undefined) return {}
  return { defaults: { ...defaults, model: source['model'] } }
}

/** Keys of the configuration that surfaces read and validate themselves. */
export type SurfaceKey = 'server' | 'slack' | 'hooks'

/** Settings of each surface. Those of `server` and `slack` are validated by the surface. */
export type SurfaceSettings<Key extends SurfaceKey> = Key extends 'hooks'
  ? readonly WebhookConfig[]
  : JsonObject

/**
 * Returns the settings of a surface with variables expanded, or `undefined` if there are none. Throws
 * `env_missing` if a variable has no value, or if a setting is empty because its variables are.
 */
export function surfaceSettings<Key extends SurfaceKey>(
  { config, environment }: { readonly config: LoadedConfig; readonly environment: Environment },
  key: Key,
): SurfaceSettings<Key> | undefined {
  const settings = writtenSettings({ config }, key)
  if (settings === undefined) return undefined
  const { value, missing } = expandValues(settings, environment.overlay)
  const unset = [...missing, ...emptyVariables(settings as Json, environment)]
  if (unset.length > 0) throw new TroupeError(missingVariables(unset, environment))
  return value
}

/** Returns the variables without a default in texts of which an empty text remains, as from `TOKEN=` in a file. */
function emptyVariables(source: Json, environment: Environment): readonly string[] {
  if (typeof source === 'string') {
    const variables = findVariables(source).filter(({ hasDefault }) => !hasDefault)
    return expandText(source, environment.overlay).value === '' ? variables.map(({ name }) => name) : []
  }
  if (typeof source !== 'object' || source === null) return []
  return Object.values(source).flatMap((item) => emptyVariables(item, environment))
}

/** Returns the settings of a surface with `${VAR}` as written, or `undefined` if there are none. */
export function writtenSettings<Key extends SurfaceKey>(
  { config }: { readonly config: LoadedConfig },
  key: Key,
): SurfaceSettings<Key> | undefined {
  return config.config[key] as SurfaceSettings<Key> | undefined
}

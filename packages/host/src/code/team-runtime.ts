import { basename, dirname, join, resolve } from 'node:path'
import { VENV, createPythonFunctions, type PythonFunctions } from '@troupe/python'
import { createRuntime, type Runtime, type RuntimeOptions, type TeamFiles } from '@troupe/runtime'
import type { AgentDefinition, Clock } from '@troupe/schema'
import { parseFunctionSpec } from '@troupe/tools'
import { createContainmentProbe, createGroupLedger } from '@troupe/process'
import { approvalsFile } from '../approvals/remembered-approvals.ts'
import type { TeamCard } from '../cards/card-pool.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { Team } from '../team/collect-team.ts'
import { hasCode } from './load-code.ts'

/**
 * Creates the built-in tools of a team. Their root folder is `root` of the options, else `runtime.root` of
 * the configuration, else the working folder.
 */
export function createTeamRuntime(
  team: Team,
  parts: { readonly options: HostOptions; readonly config: LoadedConfig; readonly clock: Clock },
): Runtime {
  const { options, config, clock } = parts
  return createRuntime({
    root: rootOf(options, config),
    team: teamFiles(team, options, config),
    baseEnv: options.env ?? {},
    clock,
    ...(options.containment === undefined ? {} : { containment: options.containment }),
    ...(options.remote?.safeFetch === undefined ? {} : { safeFetch: options.remote.safeFetch }),
    ...webOf(config),
  })
}

function webOf({ config }: LoadedConfig): Pick<RuntimeOptions, 'fetch' | 'search'> {
  const { fetch, search } = config.runtime ?? {}
  return { ...(fetch === undefined ? {} : { fetch }), ...(search === undefined ? {} : { search }) }
}

function rootOf({ root, cwd }: HostOptions, { config, folder }: LoadedConfig): string {
  if (root !== undefined) return resolve(cwd, root)
  const configured = config.runtime?.root
  return configured === undefined ? resolve(cwd) : resolve(folder, configured)
}

/** Returns the files that define the team, which agents must not write. */
function teamFiles(
  { members, broken }: Team,
  { cwd, envFiles = [], stateFolder, store, privateFiles = [] }: HostOptions,
  config: LoadedConfig,
): TeamFiles {
  const cards = [...[...members.values()].map((member) => member.card), ...broken]
  const folders = cards.flatMap((card) =>
    foldersOf(card, members.get(card.definition?.name ?? '')?.definition),
  )
  if (config.file !== undefined) folders.push(config.folder)
  folders.push(
    ...(config.config.codeRoots ?? []).map((root) => resolve(config.folder, root)),
    ...cards.flatMap((card) => card.codeRoots ?? []),
  )
  if ([...members.values()].some(({ definition }) => modulesOf(definition).some(isPython)))
    folders.push(resolve(cwd, VENV))
  // Holds records of process groups that are killed on the next start.
  if (stateFolder !== undefined) folders.push(resolve(cwd, stateFolder))
  return {
    folders: [...new Set(folders)],
    secrets: [
      ...(store?.files ?? []),
      ...privateFiles,
      ...envFiles.map((file) => resolve(cwd, file)),
      ...cards.flatMap((card) => card.envFiles ?? []),
      // Settings that the product of a card reads.
      ...cards.flatMap(({ includes = [] }) => includes.filter((file) => basename(file) === '.env')),
      // An agent that could write here could approve its own calls.
      ...(stateFolder === undefined ? [] : [approvalsFile(resolve(cwd, stateFolder))]),
    ],
  }
}

/** Returns true for a Python file, which may run with the virtual environment of the working folder. */
function isPython(module: string): boolean {
  return module.endsWith('.py')
}

function foldersOf(card: TeamCard, definition: AgentDefinition | undefined): readonly string[] {
  const isFile = card.address === undefined && card.definition?.source.kind !== 'code'
  const own = isFile ? [card.folder] : []
  if (definition === undefined || (definition.skills.length === 0 && !hasCode(definition))) return own
  const skills = definition.skills
    .filter((skill) => typeof skill === 'string')
    .map((folder) => resolve(card.folder, folder))
  return [...own, ...skills, ...modulesOf(definition).map((module) => dirname(resolve(card.folder, module)))]
}

/** Returns the modules whose functions a card names. */
export function modulesOf({
  functionTools,
  toolHooks,
  loopHooks,
  guard = {},
}: AgentDefinition): readonly string[] {
  const uses = [...functionTools, ...toolHooks, ...Object.values(guard).flat()].map((entry) =>
    typeof entry === 'object' && 'use' in entry ? entry.use : entry,
  )
  return [...uses, ...Object.values(loopHooks)].flatMap((spec) => {
    if (typeof spec !== 'string' || spec.startsWith('troupe:')) return []
    try {
      return [parseFunctionSpec(spec).module]
    } catch {
      // Loading the code reports the error.
      return []
    }
  })
}

/** Creates the Python functions of a team. Starts no process until one is loaded. */
export function createTeamPython(
  { cwd, env, stateFolder, containment }: HostOptions,
  { config: { config, folder }, clock }: { readonly config: LoadedConfig; readonly clock: Clock },
): PythonFunctions {
  return createPythonFunctions({
    cwd: resolve(cwd),
    interpreter: interpreterOf(config.python, folder),
    baseEnv: env ?? {},
    clock,
    containment: containment ?? createContainmentProbe(),
    ...(stateFolder === undefined ? {} : { ledger: createGroupLedger(join(stateFolder, 'processes')) }),
  })
}

/** Resolves a path against the folder of the configuration. The name of a program stays as it is. */
function interpreterOf(python: string | undefined, folder: string): string | undefined {
  return python === undefined || !/[\\/]/u.test(python) ? python : resolve(folder, python)
}

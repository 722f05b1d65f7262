import { appendFile, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { STOCK_HOOKS, type OptionProblem } from '@troupe/hooks'
import type { PythonFunctions } from '@troupe/python'
import { preloadAgents } from '@troupe/registry'
import {
  failure,
  toFailure,
  TroupeError,
  type AgentDefinition,
  type Failure,
  type GuardPlace,
  type GuardSpec,
  type GuardSpecs,
  type LoopHooks,
  type LoopHookSpecs,
  type ToolDefinition,
  type ToolHook,
  troupeError,
} from '@troupe/schema'
import { GUARD_PLACES } from '@troupe/schema/agent-keys'
import { closest } from '@troupe/schema/text'
import {
  loadFunctionTools,
  loadGuards,
  loadLoopHooks,
  loadToolHooks,
  type AgentLoadOptions,
  type FunctionWorkers,
  type LoadedGuard,
  type StockHookFactory,
} from '@troupe/tools'
import { isBelow } from '@troupe/schema/paths'
import type { Environment, Environments } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { Team, TeamMember } from '../team/collect-team.ts'
import { importModule, moduleUrl } from './import-module.ts'

/** Services of the host for code that cards name. */
export interface CodeServices {
  readonly lineFiles: LineFiles
  readonly workers: FunctionWorkers
}

/** Options for loading code. */
interface CodeOptions {
  readonly services: CodeServices
  readonly python: PythonFunctions
  readonly environments: Environments
  /** Absolute folders that modules may be in besides the folder of the card. */
  readonly codeRoots: readonly string[]
}

/** The guards of an agent by place, before their agents are found. */
export type LoadedGuards = { readonly [Place in GuardPlace]: readonly LoadedGuard[] }

/** Loaded code of one agent. */
export interface AgentCode {
  readonly functionTools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  /** Absent if the agent has no guards. */
  readonly guards?: LoadedGuards
  /** URLs that its modules were imported from, including those that failed to load. */
  readonly modules: readonly string[]
}

/** Loaded code, and the problems of the entries that failed and were left out. */
export interface LoadedCode extends AgentCode {
  readonly problems: readonly LoadProblem[]
}

/** Result for an agent without functions and hooks. */
export const NO_CODE: LoadedCode = { functionTools: [], hooks: [], loopHooks: {}, modules: [], problems: [] }

/** Returns true if the agent has functions, hooks or guards. */
export function hasCode({ functionTools, toolHooks, loopHooks, guard }: AgentDefinition): boolean {
  return (
    functionTools.length > 0 ||
    toolHooks.length > 0 ||
    Object.keys(loopHooks).length > 0 ||
    guard !== undefined
  )
}

/** Loads the functions, hooks and guards of an agent, once at startup for all runs. */
async function loadCode(
  { definition, card }: TeamMember,
  { services, python, environments, codeRoots }: CodeOptions,
): Promise<LoadedCode> {
  const modules = new Set<string>()
  const problems: LoadProblem[] = []
  const onProblem = (problem: LoadProblem): void => void problems.push(problem)
  const context = {
    folder: card.folder,
    codeRoots: [...codeRoots, ...(card.codeRoots ?? [])],
    agent: definition.name,
    suggest: closest,
    importModule,
    python,
    hookTimeoutMs: definition.limits.hookTimeout,
    variables: (names: readonly string[]) =>
      valuesOf([...definition.env, ...names], environments.of(card.folder)),
    moduleUrl: (file: string) => {
      const url = moduleUrl(file)
      modules.add(url)
      return url
    },
  }
  const loaded = {
    functionTools: await loadList(definition.functionTools, {
      path: ['functionTools'],
      load: (entries) => loadFunctionTools(entries, { ...context, workers: services.workers }),
      onProblem,
    }),
    hooks: await loadList(definition.toolHooks, {
      path: ['toolHooks'],
      load: (entries) => loadToolHooks(entries, { ...context, stock: stockHooks(services, card.folder) }),
      onProblem,
    }),
    loopHooks: await loadLoop(definition.loopHooks, {
      load: (specs) => loadLoopHooks(specs, context),
      onProblem,
    }),
    ...(definition.guard === undefined
      ? {}
      : { guards: await loadAllGuards(definition.guard, { context, onProblem }) }),
  }
  return { ...loaded, modules: [...modules], problems }
}

/** Returns the variables that have a value. */
function valuesOf(names: readonly string[], { overlay }: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = overlay.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Loads all entries together. If that fails, loads them one by one to locate each problem. */
async function loadList<Entry, Loaded>(
  entries: readonly Entry[],
  options: {
    readonly path: readonly string[]
    load(entries: readonly Entry[]): Promise<readonly Loaded[]>
    onProblem(problem: LoadProblem): void
  },
): Promise<readonly Loaded[]> {
  const { path, load, onProblem } = options
  if (entries.length === 0) return []
  try {
    return await load(entries)
  } catch (batchError) {
    const loaded: Loaded[] = []
    let isFound = false
    for (const [index, entry] of entries.entries()) {
      try {
        loaded.push(...(await load([entry])))
      } catch (thrown) {
        isFound = true
        for (const problem of toLoadProblems(thrown, [...path, index])) onProblem(problem)
      }
    }
    if (!isFound) for (const problem of toLoadProblems(batchError, path)) onProblem(problem)
    return isFound ? loaded : []
  }
}

async function loadLoop(
  specs: LoopHookSpecs,
  options: {
    load(specs: LoopHookSpecs): Promise<LoopHooks>
    onProblem(problem: LoadProblem): void
  },
): Promise<LoopHooks> {
  let hooks: LoopHooks = {}
  for (const [when, spec] of Object.entries(specs)) {
    try {
      hooks = { ...hooks, ...(await options.load({ [when]: spec })) }
    } catch (thrown) {
      for (const problem of toLoadProblems(thrown, ['loopHooks', when])) options.onProblem(problem)
    }
  }
  return hooks
}

async function loadAllGuards(
  specs: GuardSpecs,
  { context, onProblem }: { readonly context: AgentLoadOptions; onProblem(problem: LoadProblem): void },
): Promise<LoadedGuards> {
  // Loaded on demand, because few agents have guards.
  const { STOCK_GUARDS: stock } = await import('@troupe/hooks/guards')
  const entries = GUARD_PLACES.map(async (place) => {
    const load = (guards: readonly GuardSpec[]): Promise<readonly LoadedGuard[]> =>
      loadGuards(guards, { ...context, place, stock })
    return [place, await loadList(specs[place] ?? [], { path: ['guard', place], load, onProblem })] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as unknown as LoadedGuards
}

/** Creates the stock hooks for cards in this folder. */
function stockHooks({ lineFiles }: CodeServices, folder: string): ReadonlyMap<string, StockHookFactory> {
  const context = { openLines: (file: string) => lineFiles.open(file, folder) }
  return new Map([...STOCK_HOOKS].map(([name, make]) => [name, (options) => make(options, context)]))
}

/** Loads the code of all agents that have some, by agent name. */
export async function loadCodes(
  { members }: Team,
  { options, ...code }: CodeOptions & { readonly options: HostOptions },
): Promise<ReadonlyMap<string, LoadedCode>> {
  const withCode = [...members.values()].filter(({ definition }) => hasCode(definition))
  if (withCode.length === 0) return new Map()
  options.beforeCode?.()
  const definitions = withCode.map((member) => member.definition)
  return new Map(
    await preloadAgents(definitions, async ({ name }) => {
      const member = members.get(name)
      return member === undefined ? [] : [[name, await loadCode(member, code)] as const]
    }),
  )
}

/** A problem with code that a card names, and the path of its key. */
interface LoadProblem {
  readonly problem: Failure
  readonly path: readonly (string | number)[]
}

/**
 * Converts an error thrown while loading code: one problem per invalid option of a stock hook, else a single
 * problem.
 */
function toLoadProblems(thrown: unknown, path: LoadProblem['path']): readonly LoadProblem[] {
  if (!TroupeError.isInstance(thrown) || !('problems' in thrown))
    return [{ problem: toFailure(thrown, 'function_load_failed'), path }]
  const problems = thrown.problems as readonly OptionProblem[]
  return problems.map((option) => ({
    problem: failure(thrown.code, `${path.join('.')}: ${option.message}.`, fixOf(option)),
    path: [...path, ...option.path],
  }))
}

function fixOf({ path, known }: OptionProblem): string | undefined {
  if (known === undefined) return undefined
  const suggestion = closest(String(path.at(-1)), known)
  return suggestion === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean \`${suggestion}\`?`
}

/** Files that hooks append lines to. */
export interface LineFiles {
  /**
   * Returns a function that appends lines to a file in the folder of a card, in the order of the calls.
   * Throws if the file is outside the folder; the function rejects if the file cannot be written.
   */
  open(file: string, folder: string): (line: string) => Promise<void>
}

/** Creates the line files of one host. Hooks of several agents may append to the same file. */
export function createLineFiles(): LineFiles {
  const last = new Map<string, Promise<void>>()
  return {
    open: (file, folder) => {
      const path = resolve(folder, file)
      if (isAbsolute(file) || !isBelow(folder, path)) throw outsideFolderError(file)
      return (line) => {
        const before = last.get(path) ?? Promise.resolve()
        const writing = before.then(
          () => append({ path, file, folder }, line),
          () => append({ path, file, folder }, line),
        )
        last.set(path, writing)
        return writing.finally(() => {
          if (last.get(path) === writing) last.delete(path)
        })
      }
    },
  }
}

async function append(
  { path, file, folder }: { readonly path: string; readonly file: string; readonly folder: string },
  line: string,
): Promise<void> {
  const root = await realpath(folder)
  if (!isBelow(root, await realTarget(path))) throw outsideFolderError(file)
  await appendFile(path, `${line}\n`, { mode: 0o600 })
}

/** Resolves symbolic links in the path of a file that may not exist yet. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'ENOENT') throw thrown
    return resolve(await realpath(dirname(path)), basename(path))
  }
}

function outsideFolderError(file: string): Error {
  return troupeError('hook_bad_option', `\`file\`: ${file} is outside the folder of the card`)
}

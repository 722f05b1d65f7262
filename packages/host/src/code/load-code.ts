import { STOCK_HOOKS } from '@troupe/hooks'
import {
  closest,
  type AgentDefinition,
  type LoopHooks,
  type LoopHookSpecs,
  type ToolDefinition,
  type ToolHook,
} from '@troupe/schema'
import {
  loadFunctionTools,
  loadLoopHooks,
  loadToolHooks,
  type FunctionWorkers,
  type StockHookFactory,
} from '@troupe/tools'
import type { LineFiles } from './line-files.ts'
import { toLoadProblems, type LoadProblem } from './load-problem.ts'
import type { TeamMember } from '../team/load-team.ts'
import { importModule } from '../reload/import-module.ts'
import { moduleUrl } from '../reload/module-url.ts'

/** What code that cards name may use of its host. */
export interface CodeServices {
  readonly lineFiles: LineFiles
  readonly workers: FunctionWorkers
}

/** What code is loaded with. */
export interface CodeOptions {
  readonly services: CodeServices
  /** Folders, beside that of the card, that modules may be in. Absolute. */
  readonly codeRoots: readonly string[]
}

/** The code that a card names, loaded. */
export interface AgentCode {
  readonly functionTools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  /** What its modules were imported by, also those that could not be loaded. */
  readonly modules: readonly string[]
}

/** The same with what could not be loaded, which is left out. */
export interface LoadedCode extends AgentCode {
  readonly problems: readonly LoadProblem[]
}

/** What an agent brings that has no functions or hooks of its own. */
export const NO_CODE: LoadedCode = { functionTools: [], hooks: [], loopHooks: {}, modules: [], problems: [] }

/** The agent has functions or hooks of its own. */
export function bringsCode({ functionTools, toolHooks, loopHooks }: AgentDefinition): boolean {
  return functionTools.length > 0 || toolHooks.length > 0 || Object.keys(loopHooks).length > 0
}

/** Loads the functions and hooks of an agent: once at startup, the same for every run. */
export async function loadCode(
  { definition, card }: TeamMember,
  { services, codeRoots }: CodeOptions,
): Promise<LoadedCode> {
  const modules = new Set<string>()
  const problems: LoadProblem[] = []
  const onProblem = (problem: LoadProblem): void => void problems.push(problem)
  const place = {
    folder: card.folder,
    codeRoots,
    agent: definition.name,
    suggest: closest,
    importModule,
    moduleUrl: (file: string) => {
      const url = moduleUrl(file)
      modules.add(url)
      return url
    },
  }
  const loaded = {
    functionTools: await loadList(definition.functionTools, {
      key: 'functionTools',
      load: (entries) => loadFunctionTools(entries, { ...place, workers: services.workers }),
      onProblem,
    }),
    hooks: await loadList(definition.toolHooks, {
      key: 'toolHooks',
      load: (entries) => loadToolHooks(entries, { ...place, stock: stockHooks(services, card.folder) }),
      onProblem,
    }),
    loopHooks: await loadLoop(definition.loopHooks, {
      load: (specs) => loadLoopHooks(specs, place),
      onProblem,
    }),
  }
  return { ...loaded, modules: [...modules], problems }
}

/** All entries at once; where that fails one by one, so that every problem has the place of its entry. */
async function loadList<Entry, Loaded>(
  entries: readonly Entry[],
  options: {
    readonly key: string
    load(entries: readonly Entry[]): Promise<readonly Loaded[]>
    onProblem(problem: LoadProblem): void
  },
): Promise<readonly Loaded[]> {
  const { key, load, onProblem } = options
  if (entries.length === 0) return []
  try {
    return await load(entries)
  } catch (together) {
    const loaded: Loaded[] = []
    let isFound = false
    for (const [index, entry] of entries.entries()) {
      try {
        loaded.push(...(await load([entry])))
      } catch (thrown) {
        isFound = true
        for (const problem of toLoadProblems(thrown, [key, index])) onProblem(problem)
      }
    }
    if (!isFound) for (const problem of toLoadProblems(together, [key])) onProblem(problem)
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

/** The stock hooks as cards in this folder get them. */
function stockHooks({ lineFiles }: CodeServices, folder: string): ReadonlyMap<string, StockHookFactory> {
  const place = { openLines: (file: string) => lineFiles.open(file, folder) }
  return new Map([...STOCK_HOOKS].map(([name, make]) => [name, (options) => make(options, place)]))
}

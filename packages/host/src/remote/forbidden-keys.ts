import { findVariables } from '@troupe/env'
import type { AgentDefinition, McpServerConfig, RuntimeTool } from '@troupe/schema'

/** A key of a remote card that asks for something only a local card may have. */
export interface ForbiddenKey {
  readonly at: readonly (string | number)[]
  readonly why: string
}

const RUNTIME_TOOLS: ReadonlySet<RuntimeTool> = new Set(['shared', 'human'])
const FILE_MODEL = /^(?:script|replay)[/:]/u

/** What a remote card may not have (R18, S12): whatever runs, reads or sends something of this machine. */
export function forbiddenKeys(definition: AgentDefinition): readonly ForbiddenKey[] {
  const { functionTools, toolHooks, loopHooks, env, skills, servers, mcpServers, runtimeTools, model } =
    definition
  return [
    ...each('functionTools', functionTools, 'it may not name functions'),
    ...each('toolHooks', toolHooks, 'it may not name functions as hooks', (hook) => !isStockHook(hook)),
    ...Object.keys(loopHooks).map((key) => ({
      at: ['loopHooks', key],
      why: 'it may not name functions as hooks',
    })),
    ...each('env', env, 'it gets no variables'),
    ...each('skills', skills, 'it may not read folders'),
    ...each(
      'runtimeTools',
      runtimeTools,
      'it may not touch this machine',
      (tool) => !RUNTIME_TOOLS.has(tool),
    ),
    ...each('model', model, 'it may not read files', (id) => FILE_MODEL.test(id)),
    ...each(
      'servers',
      servers,
      'it may not use servers that are configured here',
      (name) => !Object.hasOwn(mcpServers, name),
    ),
    ...Object.entries(mcpServers).flatMap(([name, server]) => forbiddenServer(name, server)),
  ]
}

function each<T>(
  key: string,
  entries: readonly T[],
  why: string,
  isForbidden: (entry: T) => boolean = () => true,
): readonly ForbiddenKey[] {
  return entries.flatMap((entry, index) => (isForbidden(entry) ? [{ at: [key, index], why }] : []))
}

/** Ours, by name: `troupe:redact`. */
function isStockHook(hook: unknown): boolean {
  const use = typeof hook === 'object' && hook !== null && 'use' in hook ? hook.use : hook
  return typeof use === 'string' && use.startsWith('troupe:')
}

function forbiddenServer(name: string, server: McpServerConfig): readonly ForbiddenKey[] {
  const at = ['mcpServers', name]
  if (server.command !== undefined) return [{ at: [...at, 'command'], why: 'it may not start processes' }]
  return Object.entries(server).flatMap(([key, value]) =>
    findVariables(value).map((variable) => ({
      at: [...at, key],
      why: `it may not read variables, such as ${variable.name}`,
    })),
  )
}

import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { getOwn, isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import { NO_TIMEOUT } from './call-tool.ts'
import { RESOURCE_TOOLS } from './resources/resource-tools.ts'
import { readServerTool, type ServerTool } from './server-tool.ts'

const MAX_TOOLS = 10_000
const MAX_PAGES = 1000
const MAX_TEXT = 16 * 1024 * 1024
const MAX_REMARKS = 20

/** How a list is read. */
export interface ListOptions {
  /** Aborts when it takes too long. */
  readonly signal: AbortSignal
  /** Adds the tools that read the resources of the server, where it has any. */
  readonly resources?: boolean
  warn(remark: string): void
}

/**
 * Every tool of a server, all pages, in its order. What cannot be offered is left out and said through `warn`. Rejects when the
 * server does not answer.
 */
export async function listTools(client: Client, options: ListOptions): Promise<readonly ServerTool[]> {
  const own = client.getServerCapabilities()?.tools === undefined ? [] : await ownTools(client, options)
  if (options.resources !== true || client.getServerCapabilities()?.resources === undefined) return own
  const taken = new Set(own.map(({ name }) => name))
  return [...own, ...RESOURCE_TOOLS.filter(({ name }) => !taken.has(name))]
}

async function ownTools(client: Client, options: ListOptions): Promise<readonly ServerTool[]> {
  const remarks = boundRemarks(options.warn)
  const list: ToolList = { tools: new Map(), size: 0 }
  for await (const entry of entriesOf(client, { ...options, warn: remarks.warn })) {
    const full = fullness(list)
    if (full !== undefined) {
      options.warn(`it lists more than ${full}; the rest is left out`)
      break
    }
    addTool(list, entry, remarks.warn)
  }
  remarks.end()
  return [...list.tools.values()]
}

interface ToolList {
  readonly tools: Map<string, ServerTool>
  /** Characters of the descriptions. */
  size: number
}

function fullness({ tools, size }: ToolList): string | undefined {
  if (tools.size >= MAX_TOOLS) return `${MAX_TOOLS} tools`
  return size > MAX_TEXT ? `${MAX_TEXT / 1024 / 1024} MiB of descriptions` : undefined
}

function addTool(list: ToolList, entry: unknown, warn: (remark: string) => void): void {
  const { tool, remark } = readServerTool(entry)
  if (remark !== undefined) warn(remark)
  if (tool === undefined) return
  list.size += tool.fingerprint.length
  if (list.tools.has(tool.name)) warn(`it lists the tool "${tool.name}" twice; the second is left out`)
  else list.tools.set(tool.name, tool)
}

/** Passes the first remarks on and counts the others: thousands of bad tools are one problem. */
function boundRemarks(warn: (remark: string) => void): { warn(remark: string): void; end(): void } {
  let count = 0
  return {
    warn(remark) {
      count += 1
      if (count <= MAX_REMARKS) warn(remark)
    },
    end() {
      if (count > MAX_REMARKS) warn(`there are ${count - MAX_REMARKS} further remarks on its tools`)
    },
  }
}

async function* entriesOf(client: Client, options: ListOptions): AsyncGenerator {
  let cursor: string | undefined
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const result = await readPage(client, cursor, options.signal)
    yield* result.tools
    if (result.nextCursor === undefined) return
    if (result.nextCursor === cursor) break
    cursor = result.nextCursor
  }
  options.warn('the pages of its tool list do not end; the rest is left out')
}

/** One page of the list, its tools not read yet. */
interface ToolPage {
  readonly tools: readonly Json[]
  readonly nextCursor?: string
}

/**
 * Takes the raw page: one odd tool must not cost the whole list, and the SDK's own method compiles validators and prints.
 */
const PAGE: StandardSchemaV1<unknown, ToolPage> = {
  '~standard': {
    version: 1,
    vendor: 'troupe',
    validate: (value) => {
      const tools = isJsonObject(value) ? getOwn(value, 'tools') : undefined
      if (!isJsonObject(value) || !Array.isArray(tools))
        return { issues: [{ message: 'it holds no list of tools' }] }
      const { nextCursor } = value
      return { value: { tools, ...(typeof nextCursor === 'string' ? { nextCursor } : {}) } }
    },
  },
}

async function readPage(client: Client, cursor: string | undefined, signal: AbortSignal): Promise<ToolPage> {
  const params: JsonObject = cursor === undefined ? {} : { cursor }
  const page = await client.request({ method: 'tools/list', params }, PAGE, { signal, timeout: NO_TIMEOUT })
  if (page === undefined) throw troupeError('mcp_failed', 'The list of tools is empty.')
  return page
}

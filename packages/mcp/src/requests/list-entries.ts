import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { getOwn, isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import { readServerTool, type ServerTool } from '../tools/server-tool.ts'
import { NO_TIMEOUT } from './call-tool.ts'

const MAX_ENTRIES = 10_000
const MAX_PAGES = 1000
const MAX_TEXT = 16 * 1024 * 1024
const MAX_REMARKS = 20

/** Kind of a list, and how its entries are read. */
export interface EntryKind<T> {
  readonly noun: 'tool' | 'prompt'
  /** Returns the entry if it is usable, and a remark on problems. */
  read(entry: unknown): { readonly item?: T | undefined; readonly remark?: string | undefined }
  /** Returns the number of characters in the entry's texts. */
  sizeOf(item: T): number
}

/** Options for reading a list. */
export interface ListOptions {
  /** Aborts on timeout. */
  readonly signal: AbortSignal
  warn(remark: string): void
}

/**
 * Lists all entries of a kind (all pages) in order. Leaves out unusable entries and duplicate names with a
 * warning. Rejects if the server does not respond.
 */
export async function listEntries<T extends { readonly name: string }>(
  client: Client,
  kind: EntryKind<T>,
  options: ListOptions,
): Promise<readonly T[]> {
  const remarks = boundRemarks(kind.noun, options.warn)
  const list: EntryList<T> = { items: new Map(), size: 0 }
  for await (const entries of pagesOf(client, kind.noun, { ...options, warn: remarks.warn })) {
    const full = addEntries(list, entries, { kind, warn: remarks.warn })
    if (full === undefined) continue
    options.warn(`it lists more than ${full}; the rest is left out`)
    break
  }
  remarks.end()
  return [...list.items.values()]
}

interface EntryList<T> {
  readonly items: Map<string, T>
  size: number
}

function fullness({ items, size }: EntryList<unknown>, noun: string): string | undefined {
  if (items.size >= MAX_ENTRIES) return `${MAX_ENTRIES} ${noun}s`
  return size > MAX_TEXT ? `${MAX_TEXT / 1024 / 1024} MiB of descriptions` : undefined
}

/** Adds the entries. Returns the exceeded limit if not all of them fit, else `undefined`. */
function addEntries<T extends { readonly name: string }>(
  list: EntryList<T>,
  entries: readonly unknown[],
  reader: { readonly kind: EntryKind<T>; warn(remark: string): void },
): string | undefined {
  for (const entry of entries) {
    const full = fullness(list, reader.kind.noun)
    if (full !== undefined) return full
    addEntry(list, entry, reader)
  }
  return undefined
}

function addEntry<T extends { readonly name: string }>(
  list: EntryList<T>,
  entry: unknown,
  { kind, warn }: { readonly kind: EntryKind<T>; warn(remark: string): void },
): void {
  const { item, remark } = kind.read(entry)
  if (remark !== undefined) warn(remark)
  if (item === undefined) return
  list.size += kind.sizeOf(item)
  if (list.items.has(item.name))
    warn(`it lists the ${kind.noun} "${item.name}" twice; the second is left out`)
  else list.items.set(item.name, item)
}

/**
 * Passes on the first remarks and counts the others, so that thousands of bad entries do not cause thousands
 * of warnings.
 */
function boundRemarks(
  noun: string,
  warn: (remark: string) => void,
): { warn(remark: string): void; end(): void } {
  let count = 0
  return {
    warn(remark) {
      count += 1
      if (count <= MAX_REMARKS) warn(remark)
    },
    end() {
      if (count > MAX_REMARKS) warn(`there are ${count - MAX_REMARKS} further warnings about its ${noun}s`)
    },
  }
}

type EntryNoun = EntryKind<unknown>['noun']

async function* pagesOf(
  client: Client,
  noun: EntryNoun,
  options: ListOptions,
): AsyncGenerator<readonly Json[]> {
  let cursor: string | undefined
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const result = await readPage(client, { noun, cursor, signal: options.signal })
    yield result.entries
    if (result.nextCursor === undefined) return
    if (result.nextCursor === cursor) break
    cursor = result.nextCursor
  }
  options.warn(`the pages of its ${noun} list do not end; the rest is left out`)
}

/** One page of a list with unread entries. */
interface Page {
  readonly entries: readonly Json[]
  readonly nextCursor?: string
}

/**
 * Returns a schema that accepts a page with unread entries. One bad entry then does not fail the whole list,
 * and the SDK does not compile validators or print.
 */
function pageOf(noun: EntryNoun): StandardSchemaV1<unknown, Page> {
  const validate: StandardSchemaV1<unknown, Page>['~standard']['validate'] = (value) => {
    const entries = isJsonObject(value) ? getOwn(value, `${noun}s`) : undefined
    if (!isJsonObject(value) || !Array.isArray(entries))
      return { issues: [{ message: `it contains no list of ${noun}s` }] }
    const { nextCursor } = value
    return { value: { entries, ...(typeof nextCursor === 'string' ? { nextCursor } : {}) } }
  }
  return { '~standard': { version: 1, vendor: 'troupe', validate } }
}

async function readPage(
  client: Client,
  {
    noun,
    cursor,
    signal,
  }: { readonly noun: EntryNoun; readonly cursor: string | undefined; readonly signal: AbortSignal },
): Promise<Page> {
  const params: JsonObject = cursor === undefined ? {} : { cursor }
  const request = { method: `${noun}s/list` as const, params }
  const page = await client.request(request, pageOf(noun), { signal, timeout: NO_TIMEOUT })
  if (page === undefined) throw troupeError('mcp_failed', `The list of ${noun}s is empty.`)
  return page
}

const TOOL_ENTRIES: EntryKind<ServerTool> = {
  noun: 'tool',
  read: (entry) => {
    const { tool, remark } = readServerTool(entry)
    return { item: tool, remark }
  },
  sizeOf: ({ fingerprint }) => fingerprint.length,
}

/**
 * Lists all tools of a server. `resources` adds the built-in resource tools if the server has resources.
 * Rejects if the server does not respond.
 */
export async function listTools(
  client: Client,
  options: ListOptions & { readonly resources?: boolean },
): Promise<readonly ServerTool[]> {
  const offered = client.getServerCapabilities()
  const own = offered?.tools === undefined ? [] : await listEntries(client, TOOL_ENTRIES, options)
  if (options.resources !== true || offered?.resources === undefined) return own
  const taken = new Set(own.map(({ name }) => name))
  return [...own, ...RESOURCE_TOOLS.filter(({ name }) => !taken.has(name))]
}

const HINTS = { readOnly: true, idempotent: true, destructive: false } as const

/**
 * Built-in tools with which a model reads the resources of a server. An agent gets them if the server
 * definition sets `resources: true`.
 */
const RESOURCE_TOOLS: readonly ServerTool[] = Object.freeze([
  {
    name: 'list_resources',
    description: 'Lists the resources of this server and its templates for further resources, page by page.',
    inputSchema: {
      type: 'object',
      properties: { cursor: { type: 'string', description: 'The nextCursor of the previous page' } },
      additionalProperties: false,
    },
    ...HINTS,
    fingerprint: 'list_resources',
    resource: 'list',
  },
  {
    name: 'read_resource',
    description: 'Reads one resource of this server, by a URI from list_resources or from a template.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', minLength: 1, maxLength: 8192 } },
      required: ['uri'],
      additionalProperties: false,
    },
    ...HINTS,
    fingerprint: 'read_resource',
    resource: 'read',
  },
])

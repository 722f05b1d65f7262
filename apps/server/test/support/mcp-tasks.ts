import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { expect } from 'vitest'
import { z } from 'zod'
import { INFO } from './connect-mcp.ts'
import type { TeamToServe } from './serve-team.ts'

/** Version of the protocol that has tasks. */
export const VERSION = '2026-07-28'
/** Id of the extension. */
export const TASKS = 'io.modelcontextprotocol/tasks'
/** Capabilities of a client with tasks and forms. */
export const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS]: {} } }
/** Parameters of a call of the agent `One`. */
export const CALL = { name: 'One', arguments: { input: 'Hi', format: 'text' } }

/** The result of a call or of a request for a task. */
interface TaskResult {
  readonly resultType?: string
  readonly taskId?: string
  readonly status?: string
  readonly createdAt?: string
  readonly lastUpdatedAt?: string
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>
  readonly result?: { readonly content: unknown }
  readonly _meta?: { readonly runId?: string }
}

interface Answer {
  readonly result?: TaskResult
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The client of a request. */
export interface Sender {
  readonly token?: string
  readonly capabilities?: object
}

/** Sends one request of the newer protocol. */
export async function request(
  { url }: { readonly url: string },
  { method, params = {} }: { readonly method: string; readonly params?: object },
  { token, capabilities = CAPABILITIES }: Sender = {},
): Promise<Answer> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const { taskId, name = taskId } = params as { readonly taskId?: string; readonly name?: string }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  return (await response.json()) as Answer
}

/** A server that was started for one test. */
export type Server = Parameters<typeof request>[0]

/** Calls the agent and returns the id of its task. */
export async function startTask(server: Server, sender?: Sender): Promise<string> {
  const { result } = await request(server, { method: 'tools/call', params: CALL }, sender)
  expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null })
  return result?.taskId ?? ''
}

/** Requests a task. */
export const get = (server: Server, taskId: string, sender?: Sender): Promise<Answer> =>
  request(server, { method: 'tasks/get', params: { taskId } }, sender)

/** Waits until a task has a status, and returns it. */
export async function untilStatus(server: Server, taskId: string, status: string): Promise<Answer['result']> {
  await expect.poll(async () => (await get(server, taskId)).result?.status).toBe(status)
  return (await get(server, taskId)).result
}

/** Returns an agent whose tool needs an approval, and the folders that it wiped. */
export function wiping(): TeamToServe & { readonly wiped: string[] } {
  const wiped: string[] = []
  const wipe = defineTool({
    name: 'wipe',
    description: 'Wipes a folder.',
    input: z.object({ folder: z.string() }),
    requiresApproval: true,
    execute({ folder }) {
      wiped.push(folder)
      return 'wiped'
    },
  })
  const agent = defineAgent({
    name: 'One',
    description: 'Wipes.',
    instruction: 'Wipe.',
    model: 'test/one',
    functionTools: [wipe],
  })
  const one = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool'
      ? { text: 'Done.' }
      : { calls: [{ tool: 'wipe', args: { folder: 'home' } }] },
  )
  return { cards: [agent], models: { one }, wiped }
}

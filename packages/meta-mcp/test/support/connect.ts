import { PassThrough } from 'node:stream'
import { Client, type ElicitResult } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { AgentDefinition } from '@troupe/schema'
import { fakeClock, type FakeClock } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { createMetaMcp, serveMetaMcpStdio, type CallRecord } from '../../src/index.ts'
import { fakeRunner } from './fake-runner.ts'

/** The kinds of clients: those of the SDK's new line in both eras, and of its old line. */
export const CLIENTS = ['modern', 'legacy', 'v1'] as const

export type ClientKind = (typeof CLIENTS)[number]

/** Serves the agent over streams and connects a client to it. */
export async function connect(
  kind: ClientKind,
  agent: AgentDefinition,
  runner: Pick<ReturnType<typeof fakeRunner>, 'run'> = fakeRunner(),
  person?: Person,
  options: { readonly clock?: FakeClock; onCall?(record: CallRecord): void } = {},
): Promise<{ readonly client: Client; readonly records: readonly CallRecord[]; readonly leave: () => void }> {
  const records: CallRecord[] = []
  let contexts = 0
  const meta = createMetaMcp({
    agent,
    runner,
    newContextId: () => `context-${(contexts += 1)}`,
    clock: options.clock ?? fakeClock(),
    onCall: (record) => {
      records.push(record)
      options.onCall?.(record)
    },
  })
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const connection = serveMetaMcpStdio(meta, { input: toServer, output: toClient })
  // a pair of streams is the same from both ends
  const transport = new StdioServerTransport(toClient, toServer)
  const client = newClient(kind, person)
  await client.connect(transport)
  onTestFinished(async () => {
    await client.close()
    await connection.close()
  })
  return { client, records, leave: () => void toServer.end() }
}

/** Fills in the forms that a client shows. */
export type Person = (form: ShownForm) => ElicitResult | Promise<ElicitResult>

/** A form as a client receives it. */
export interface ShownForm {
  readonly message: string
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly enum?: string[] }>> }
}

/** Creates a client. With a person it supports forms. */
export function newClient(kind: ClientKind, person?: Person): Client {
  const info = { name: 'test', version: '1.0.0' }
  const capabilities = person === undefined ? {} : { elicitation: {} }
  if (kind === 'v1') {
    const old = new OldClient(info, { capabilities })
    if (person !== undefined)
      old.setRequestHandler(ElicitRequestSchema, (request) => person(request.params as ShownForm) as never)
    return asNew(old)
  }
  const mode = kind === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client(info, { capabilities, versionNegotiation: { mode } })
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', (request) => person(request.params as ShownForm))
  return client
}

/** Adapts a client of the old line: for these tests only the position of the call options differs. */
function asNew(old: OldClient): Client {
  const { callTool, connect: connectTo } = old
  return Object.assign(old, {
    connect: (transport: unknown) => connectTo.call(old, transport as OldTransport),
    callTool: (params: OldCall[0], options: OldCall[2]) => callTool.call(old, params, undefined, options),
  }) as unknown as Client
}

type OldCall = Parameters<OldClient['callTool']>

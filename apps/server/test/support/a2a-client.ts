import { Role, type AgentCard, type Message, type Part, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
  type ClientFactoryOptions,
} from '@a2a-js/sdk/client'
import { expect } from 'vitest'
import type { ServedTeam } from './serve-team.ts'

/** Clients of the SDK: of 1.0 over JSON-RPC and over HTTP+JSON, and of 0.3. */
export const A2A_CLIENTS = ['1.0', '1.0 over HTTP+JSON', '0.3'] as const

/** A client of the SDK. */
type ClientKind = (typeof A2A_CLIENTS)[number]

/** Connects a client of the SDK through the card of the agent; for 0.3 through a card that offers no other version. */
export async function connect(
  kind: ClientKind,
  { url }: Pick<ServedTeam, 'url'>,
  { agent, token }: { readonly agent: string; readonly token?: string },
): Promise<Client> {
  const fetchImpl: typeof fetch = (place, init) => {
    const headers = new Headers(init?.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(place, { ...init, headers })
  }
  const version = kind === '0.3' ? '0.3' : '1.0'
  const legacyCompat = { enabled: version === '0.3' }
  const factory = new ClientFactory({
    transports: [
      kind === '1.0 over HTTP+JSON'
        ? new RestTransportFactory({ fetchImpl })
        : new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
    ],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  } satisfies ClientFactoryOptions)
  const card = await fetchImpl(`${url}/a2a/${agent}/.well-known/agent-card.json`, {
    headers: version === '1.0' ? { 'a2a-version': version } : {},
  }).then((response) => response.json() as Promise<AgentCard>)
  const { supportedInterfaces: _, ...old } = card
  const client = await factory.createFromAgentCard(version === '0.3' ? (old as AgentCard) : card)
  expect(client.protocolVersion).toBe(version)
  return client
}

/** Returns a text part. */
export function words(value: string): Part {
  return { content: { $case: 'text', value }, mediaType: '', filename: '', metadata: undefined }
}

/** Returns a data part. */
export function data(value: unknown): Part {
  return { content: { $case: 'data', value }, mediaType: '', filename: '', metadata: undefined }
}

/** Returns a message of the user. */
export function message(
  parts: readonly Part[],
  place: { taskId?: string; contextId?: string } = {},
): Message {
  return {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_USER,
    parts: [...parts],
    taskId: '',
    contextId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...place,
  }
}

/** Returns a request to send a message. */
export function request(
  one: Message,
  { returnImmediately = false } = {},
): Parameters<Client['sendMessage']>[0] {
  return {
    tenant: '',
    message: one,
    metadata: undefined,
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  }
}

/** Sends a message and returns its task. */
export async function send(client: Client, ...given: Parameters<typeof request>): Promise<Task> {
  const result = await client.sendMessage(request(...given))
  if (!('status' in result)) throw new TypeError('This is no task.')
  return result
}

/** Returns the contents of the artifacts of a task. */
export function answerOf({ artifacts }: Task): readonly unknown[] {
  return artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as unknown))
}

/** Returns all events of a stream. */
export async function all(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const events: StreamResponse[] = []
  for await (const event of stream) events.push(event)
  return events
}

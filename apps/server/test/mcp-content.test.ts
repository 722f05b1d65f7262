import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CLIENTS, connectMcp } from './support/connect-mcp.ts'
import { serveTeam, type TeamToServe } from './support/serve-team.ts'

const IMAGE = { type: 'image', data: 'aW1n', mimeType: 'image/png' }
const AUDIO = { type: 'audio', data: 'YXVkaW8=', mimeType: 'audio/wav' }
const RESOURCE = {
  type: 'resource',
  resource: { uri: 'test://report', mimeType: 'application/json', text: '{"rows":3}' },
}

/** Returns a lead whose child calls a tool that returns files. Both add them to their answers. */
function photographers(files: boolean): TeamToServe {
  const shoot = defineTool({
    name: 'shoot',
    description: 'Takes pictures.',
    input: z.object({}),
    effect: 'read',
    execute: () => ({ content: [IMAGE, AUDIO, RESOURCE] }),
  })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Shoots.',
    instruction: 'Shoot.',
    model: 'test/clerk',
    functionTools: [shoot],
    output: { files: true },
    hidden: true,
  })
  const lead = defineAgent({
    name: 'One',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: [clerk],
    output: { files },
    default: true,
  })
  const once = (tool: string, args: Readonly<Record<string, string>>) =>
    scriptedModel((prompt) =>
      prompt.at(-1)?.role === 'tool' ? { text: 'Here they are.' } : { calls: [{ tool, args }] },
    )
  return {
    cards: [lead, clerk],
    models: { clerk: once('shoot', {}), lead: once('agent__Clerk', { text: 'go' }) },
  }
}

describe.each(CLIENTS)('%s client of /mcp', (kind) => {
  it('an MCP client gets the files of an answer as images, audio and embedded resources', async () => {
    const client = await connectMcp(kind, await serveTeam(photographers(true)))
    const { content } = await client.call({ input: 'Show', format: 'text' })
    expect(content).toEqual([{ type: 'text', text: 'Here they are.' }, IMAGE, AUDIO, RESOURCE])
  })

  it('an MCP client gets no files of tools if the card of the agent does not say so', async () => {
    const client = await connectMcp(kind, await serveTeam(photographers(false)))
    const { content } = await client.call({ input: 'Show', format: 'text' })
    expect(content).toEqual([{ type: 'text', text: 'Here they are.' }])
  })
})

it('an A2A client and the run view get the files of an answer', async () => {
  const { url } = await serveTeam(photographers(true))
  const response = await fetch(`${url}/v1/One`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ q: 'Show' }),
  })
  const report = (await response.json()) as { readonly output: { readonly files: readonly unknown[] } }
  expect(report.output.files).toEqual([
    { mediaType: 'image/png', data: 'aW1n' },
    { mediaType: 'audio/wav', data: 'YXVkaW8=' },
    { mediaType: 'application/json', data: 'eyJyb3dzIjozfQ==', uri: 'test://report' },
  ])
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Show' }] }
  const sent = await fetch(`${url}/a2a/One`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  })
  expect(await sent.json()).toMatchObject({
    result: {
      task: {
        artifacts: [
          {
            parts: [
              { text: 'Here they are.' },
              { raw: 'aW1n', mediaType: 'image/png' },
              { raw: 'YXVkaW8=', mediaType: 'audio/wav' },
              { raw: 'eyJyb3dzIjozfQ==', mediaType: 'application/json' },
            ],
          },
        ],
      },
    },
  })
})

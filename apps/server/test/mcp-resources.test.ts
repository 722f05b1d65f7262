import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CLIENTS, connectMcp, type McpClient } from './support/connect-mcp.ts'
import { oneAgent } from './support/one-agent.ts'
import { PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

/** Returns an agent that answers with an image. */
function photographer(): TeamToServe {
  const shoot = defineTool({
    name: 'shoot',
    description: 'Takes a picture.',
    input: z.object({}),
    effect: 'read',
    execute: () => ({ content: [{ type: 'image', data: 'aW1n', mimeType: 'image/png' }] }),
  })
  const agent = defineAgent({
    name: 'One',
    description: 'Shoots.',
    instruction: 'Shoot.',
    model: 'test/one',
    functionTools: [shoot],
    output: { files: true },
  })
  const one = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'Here it is.' } : { calls: [{ tool: 'shoot', args: {} }] },
  )
  return { cards: [agent], models: { one } }
}

async function runIdOf(client: McpClient, input = 'Hi', name = 'One'): Promise<string> {
  const result = await client.call({ input, format: 'text' }, name)
  return String(result['_meta']?.['runId'])
}

describe.each(CLIENTS)('%s client of the resources of /mcp', (kind) => {
  it('the runs of a caller are resources with their answers and the files of these', async () => {
    const client = await connectMcp(kind, await serveTeam(photographer()))
    const runId = await runIdOf(client, 'Show me')
    const uri = `troupe://runs/${runId}`
    const { resources } = await client.listResources()
    expect(resources).toMatchObject([
      { uri, name: runId, title: 'One: Show me', description: 'A run of One, completed.' },
    ])
    const answer = await client.readResource({ uri })
    expect(answer.contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: 'Here it is.', _meta: { files: [`${uri}/files/0`] } },
    ])
    const file = await client.readResource({ uri: `${uri}/files/0` })
    expect(file.contents).toMatchObject([{ uri: `${uri}/files/0`, mimeType: 'image/png', blob: 'aW1n' }])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'troupe://runs/{runId}',
      'troupe://runs/{runId}/files/{index}',
    ])
    for (const missing of [`${uri}/files/1`, 'troupe://runs/none', 'file:///etc/passwd'])
      await expect(client.readResource({ uri: missing })).rejects.toMatchObject({ code: -32_602 })
  })
})

it('a caller sees neither the runs of other callers nor their answers as resources', async () => {
  const team = await serveTeam({ ...oneAgent(() => ({ text: 'private' })), tokens: TOKENS })
  const ada = await connectMcp('modern', team, { token: 'token-of-ada-0001' })
  const ben = await connectMcp('modern', team, { token: 'token-of-ben-0001' })
  const runId = await runIdOf(ada)
  const uri = `troupe://runs/${runId}`
  expect((await ada.listResources()).resources).toHaveLength(1)
  expect((await ben.listResources()).resources).toEqual([])
  await expect(ben.readResource({ uri })).rejects.toThrow(uri)
  await expect(ben.listResources({ cursor: runId })).rejects.toThrow('cursor')
})

it('the resources of a single agent are only its own runs', async () => {
  const exports = {
    tools: [{ name: 'say', description: 'Says.', parameters: { type: 'object' as const }, prompt: 'Hi' }],
  }
  const speaker = defineAgent({
    name: 'Speaker',
    description: 'Speaks.',
    instruction: 'Speak.',
    model: 'passthrough',
    exports,
  })
  const team = await serveTeam({ cards: [PARROT, speaker] })
  const all = await connectMcp('modern', team)
  const single = await connectMcp('modern', team, { path: '/mcp/agents/Speaker' })
  const other = await runIdOf(all, 'Hi', 'Parrot')
  await single.call({}, 'Speaker_say')
  const { resources } = await single.listResources()
  expect(resources.map(({ description }) => description)).toEqual(['A run of Speaker, completed.'])
  await expect(single.readResource({ uri: `troupe://runs/${other}` })).rejects.toMatchObject({
    code: -32_602,
  })
  expect((await all.listResources()).resources).toHaveLength(2)
})

it('resources are listed in pages, the newest run first', async () => {
  const client = await connectMcp('modern', await serveTeam(oneAgent(() => ({ text: 'ok' }))))
  const runIds: string[] = []
  for (let count = 0; count < 51; count += 1) runIds.unshift(await runIdOf(client))
  // a client of the SDK collects all pages unless it gets a cursor
  const listed = await client.listResources()
  expect(listed.resources.map(({ name }) => name)).toEqual(runIds)
  const last = await client.listResources({ cursor: runIds[49] ?? '' })
  expect(last.resources.map(({ name }) => name)).toEqual(runIds.slice(50))
})

it('a run without an answer is described by its state and its error', async () => {
  const team = oneAgent(() => ({ error: new Error('no model today') }))
  const client = await connectMcp('modern', await serveTeam(team))
  const runId = await runIdOf(client)
  const { contents } = await client.readResource({ uri: `troupe://runs/${runId}` })
  const [content] = contents
  expect(content?.mimeType).toBe('application/json')
  expect(JSON.parse(content !== undefined && 'text' in content ? content.text : '')).toMatchObject({
    runId,
    agent: 'One',
    state: 'failed',
    error: { class: 'model' },
  })
})

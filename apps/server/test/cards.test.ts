import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import type { AgentProblem, CardSource, RunView } from '@troupe/headends'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveTeam, type TeamToServe } from './support/serve-team.ts'

const CARD = `---
# the entry of this team
name: Writer
description: Writes.
model: passthrough # repeats
limits:
  maxTurns: 4
---
Write what is asked for.
`

interface ServedWriter {
  readonly project: TempProject
  send(method: string, path: string, body?: unknown, token?: string): Promise<Response>
  read(): Promise<CardSource>
}

async function serveWriter(
  files: Readonly<Record<string, string>> = { 'Writer.md': CARD },
  options: Partial<TeamToServe> = {},
): Promise<ServedWriter> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  const { url } = await serveTeam({ cards: [project.path], ...options })
  const send: ServedWriter['send'] = (method, path, body, token) =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    project,
    send,
    read: async () => (await (await send('GET', 'agents/Writer/card')).json()) as CardSource,
  }
}

describe('cards over HTTP', () => {
  it('check names the line and column of a wrong key, and writes nothing', async () => {
    const { send, project } = await serveWriter()
    const text = CARD.replace('description: Writes.', 'descripton: Writes.')
    const answer = await send('POST', 'agents/Writer/card/check', { text })
    const { problems } = (await answer.json()) as { readonly problems: readonly AgentProblem[] }
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'card_unknown_key',
        file: `${project.path}/Writer.md`,
        line: 4,
        column: 1,
        message: expect.stringContaining('descripton') as string,
      }),
    )
    expect(await project.read('Writer.md')).toBe(CARD)
  })

  it('check reports the callers that an edit would break', async () => {
    const lead =
      '---\nname: Lead\ndefault: true\nmodel: passthrough\nagents: [Writer]\n---\nAsk the writer.\n'
    const { send } = await serveWriter({ 'Writer.md': CARD, 'Lead.md': lead })
    const text = CARD.replace('name: Writer', 'name: Author')
    const answer = await send('POST', 'agents/Writer/card/check', { text })
    expect(await answer.json()).toMatchObject({
      problems: [{ severity: 'error', code: 'agent_unknown', line: 5 }],
    })
  })

  it('check neither imports code nor fetches cards that the edited text names', async () => {
    const code = 'globalThis.wasImported = true\nexport function count() {}\n'
    const { send } = await serveWriter({ 'Writer.md': CARD, 'count.ts': code })
    const text = CARD.replace(
      'limits:',
      'functionTools: [count.ts:count]\nagents: [https://example.invalid/card.md]\nlimits:',
    )
    const answer = await send('POST', 'agents/Writer/card/check', { text })
    expect(answer.status).toBe(200)
    expect(globalThis).not.toHaveProperty('wasImported')
    const { problems } = (await answer.json()) as { readonly problems: readonly AgentProblem[] }
    expect(problems.map(({ message }) => message).join('\n')).not.toContain('example.invalid')
  })

  it('save writes the text exactly, with its comments, and new runs use it', async () => {
    const { send, project, read } = await serveWriter()
    const { version } = await read()
    const text = CARD.replace('Write what is asked for.', 'Write a poem.')
    const saved = await send('PUT', 'agents/Writer/card', { text, version })
    expect(await saved.json()).toMatchObject({ agent: 'Writer', text, prompt: 'Write a poem.' })
    expect(await project.read('Writer.md')).toBe(text)
  })

  it('save is refused if the file has changed since it was read', async () => {
    const { send, project, read } = await serveWriter()
    const { version } = await read()
    const other = CARD.replace('Writes.', 'Writes well.')
    await project.write('Writer.md', other)
    const answer = await send('PUT', 'agents/Writer/card', { text: CARD, version })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ error: { code: 'card_changed' } })
    expect(await project.read('Writer.md')).toBe(other)
  })

  it('save restores the file if the team cannot run with the text', async () => {
    const { send, project, read } = await serveWriter()
    const { version } = await read()
    const text = CARD.replace('name: Writer', 'nam: Writer')
    const answer = await send('PUT', 'agents/Writer/card', { text, version })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await project.read('Writer.md')).toBe(CARD)
  })

  it('a card that is not a Markdown file can be read but not saved', async () => {
    const yaml = 'name: Writer\nmodel: passthrough\ninstruction: Write.\n'
    const { send, read } = await serveWriter({ 'Writer.yaml': yaml })
    const card = await read()
    expect(card).toMatchObject({ text: yaml, prompt: 'Write.', readOnly: expect.any(String) as string })
    const answer = await send('PUT', 'agents/Writer/card', { text: yaml, version: '' })
    expect(await answer.json()).toMatchObject({ error: { code: 'card_read_only' } })
  })

  it(`only operators can read, check, save and try cards ${verifies('D43')}`, async () => {
    const token = 'a-user-token-of-sufficient-length'
    const { send } = await serveWriter(
      { 'Writer.md': CARD },
      { tokens: [{ token, principal: 'ann', role: 'user' }] },
    )
    for (const [method, path] of [
      ['GET', 'card'],
      ['PUT', 'card'],
      ['POST', 'card/check'],
      ['POST', 'card/try'],
      ['GET', 'card/revisions'],
    ] as const) {
      const body = method === 'GET' ? undefined : { text: CARD, version: '' }
      const answer = await send(method, `agents/Writer/${path}`, body, token)
      expect([path, answer.status]).toEqual([path, 403])
    }
  })

  it('lists the replaced versions and returns their texts', async () => {
    const { send, read } = await serveWriter()
    const { version } = await read()
    const text = CARD.replace('Write what is asked for.', 'Write a poem.')
    await send('PUT', 'agents/Writer/card', { text, version })
    const { revisions } = (await (await send('GET', 'agents/Writer/card/revisions')).json()) as {
      readonly revisions: readonly { readonly id: string }[]
    }
    expect(revisions).toHaveLength(1)
    const answer = await send('GET', `agents/Writer/card/revisions/${revisions[0]?.id ?? ''}`)
    expect(await answer.json()).toEqual({ text: CARD })
  })
})

describe('trials of unsaved cards', () => {
  it('a trial runs the input of a run again with the edited prompt and settings, and is marked', async () => {
    const temperatures: unknown[] = []
    const writer = scriptedModel((prompt, { options }) => {
      temperatures.push(options.temperature)
      return { text: JSON.stringify(prompt[0]?.content) }
    })
    const card = CARD.replace('passthrough', 'test/writer')
    const { send, project } = await serveWriter({ 'Writer.md': card }, { models: { writer } })
    const started = (await (await send('POST', 'runs', { agent: 'Writer', q: 'a letter' })).json()) as {
      readonly runId: string
    }
    const text = card
      .replace('Write what is asked for.', 'Write a poem.')
      .replace('limits:', 'temperature: 0.2\nlimits:')
    const trial = (await (
      await send('POST', 'agents/Writer/card/try', { text, runId: started.runId })
    ).json()) as { readonly runId: string }
    await expect
      .poll(async () => (await (await send('GET', `runs/${trial.runId}`)).json()) as RunView)
      .toMatchObject({
        state: 'completed',
        input: 'a letter',
        isTrial: true,
        retryOf: started.runId,
        output: { text: expect.stringContaining('Write a poem.') as string },
      })
    expect(temperatures).toEqual([undefined, 0.2])
    const prompts = await (await send('GET', `runs/${trial.runId}/prompts`)).json()
    expect(prompts).toEqual({ prompts: [{ agent: 'Writer', prompt: 'Write a poem.' }] })
    expect(await project.read('Writer.md')).toBe(card)
  })

  it('a trial is refused if the text changes tools, limits or permissions', async () => {
    const { send } = await serveWriter()
    for (const [before, after] of [
      ['limits:\n  maxTurns: 4', 'limits:\n  maxTurns: 400'],
      ['limits:', 'runtimeTools: [shell]\nlimits:'],
      ['limits:', 'permissions: { allow: ["*"] }\nlimits:'],
      ['model: passthrough', 'model: openai/gpt-5'],
    ] as const) {
      const text = CARD.replace(before, after)
      const answer = await send('POST', 'agents/Writer/card/try', { text, input: 'a letter' })
      expect(await answer.json()).toMatchObject({ error: { code: 'card_edit_refused' } })
    }
  })
})

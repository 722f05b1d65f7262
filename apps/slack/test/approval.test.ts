import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { buttonOf, type FakeMessage } from '@troupe/testkit/slack'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'
import { careful } from './support/careful.ts'

async function question({ slack }: SlackRoom): Promise<FakeMessage> {
  const find = (): FakeMessage | undefined =>
    slack.messages().find((message) => buttonOf(message, 'troupe_approve') !== undefined)
  await slack.until(() => find() !== undefined)
  return find() as FakeMessage
}

describe('a tool that asks', () => {
  it('a tool call runs after the requester approves it, and the message names them', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    const asked = await question(room)
    expect(JSON.stringify(asked.blocks)).toContain('&lt;!channel&gt;.txt')
    await room.click(asked, 'troupe_approve')
    const [answer] = await room.answered()
    expect(answer?.text).toBe('It is gone.')
    const decided = room.slack.messages().find(({ text }) => text === 'Decided.')
    expect(JSON.stringify(decided?.blocks)).toContain('Approved: by <@U0ANN>')
  })

  it('a tool call does not run if it is denied', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    await room.click(await question(room), 'troupe_deny')
    const [answer] = await room.answered()
    expect(answer?.text).toBe('It is still there.')
  })

  it('a tool call approved for a thread is not asked about again there', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it', ts: '4.1' })
    await room.click(await question(room), 'troupe_approve_thread')
    await room.answered(1)
    await room.mention({ text: 'And this', threadTs: '4.1' })
    await room.answered(2)
    expect(room.slack.messages().filter(({ text }) => text === 'A tool call needs approval.')).toEqual([])
  })

  it('only configured approvers can decide on a tool call', async () => {
    const room = await serveSlack({ ...careful(), config: { approvers: ['U0CHIEF'] } })
    await room.mention({ text: 'Remove it' })
    const asked = await question(room)
    await room.click(asked, 'troupe_approve', 'U0ANN')
    await room.slack.until(({ messages }) => messages().some(({ onlyFor }) => onlyFor === 'U0ANN'))
    expect(room.answers()).toEqual([])
    await room.click(asked, 'troupe_approve', 'U0CHIEF')
    await room.answered()
  })

  it('an open approval is denied if the run is stopped', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    await question(room)
    const [working] = room.slack.messages().filter(({ text }) => text.endsWith('is working'))
    await room.click(working as FakeMessage, 'troupe_stop')
    const [answer] = await room.answered()
    expect(answer?.text).toContain('Stopped')
    await room.slack.until(({ messages }) => messages().some(({ text }) => text === 'Decided.'))
  })

  it('an approval links to the run on the page if the page has an address', async () => {
    const room = await serveSlack({
      ...careful(),
      app: { pageUrl: 'https://agents.example.com', drainMs: 1 },
    })
    await room.mention({ text: 'Remove it' })
    const asked = JSON.stringify((await question(room)).blocks)
    expect(asked).toMatch(/<https:\/\/agents\.example\.com\/#\/runs\/[\w%.-]+\|Open the run on the page>/u)
    const without = await serveSlack({ ...careful(), app: { drainMs: 1 } })
    await without.mention({ text: 'Remove it' })
    expect(JSON.stringify((await question(without)).blocks)).not.toContain('|Open the run')
  })

  it('an approval of a file to write shows its changes', async () => {
    const { path } = await openFolder({ 'notes.md': 'one\ntwo\nthree\n' })
    const room = await serveSlack({
      cards: [WRITER],
      models: {
        writer: scriptedModel(() => ({
          calls: [
            { tool: 'filesystem_write', args: { path: 'notes.md', content: 'one\n2 <!here>\nthree\n' } },
          ],
        })),
      },
      hostOptions: { root: path },
      app: { drainMs: 1 },
    })
    await room.mention({ text: 'Write' })
    const asked = JSON.stringify((await question(room)).blocks)
    expect(asked).toContain(String.raw`  │ one\n  - two\n  + 2 &lt;!here&gt;\n  │ three`)
  })

  it('an approval that is too long for Slack says so', async () => {
    const room = await serveSlack({
      cards: [WRITER],
      models: {
        writer: scriptedModel(() => ({
          calls: [{ tool: 'filesystem_write', args: { path: 'a.md', content: '<&>\n'.repeat(2000) } }],
        })),
      },
      hostOptions: { root: (await openFolder({})).path },
      app: { drainMs: 1 },
    })
    await room.mention({ text: 'Write' })
    expect(JSON.stringify((await question(room)).blocks)).toContain('The call is longer than Slack can show.')
  })
})

const WRITER = defineAgent({
  name: 'Writer',
  description: 'Writes.',
  instruction: 'Write.',
  model: 'test/writer',
  runtimeTools: ['filesystem'],
})

async function openFolder(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  return project
}

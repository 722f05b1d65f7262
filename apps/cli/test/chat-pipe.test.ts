import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startFakeAnthropic } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import { project } from './team.ts'
import { testContext, type TestContext } from './test-context.ts'

const GUIDES: Readonly<Record<string, string>> = {
  'guide.md': '---\nname: guide\ndescription: Plans.\nmodel: script/s.yaml\ndefault: true\n---\nPlan.\n',
  'clerk.md': '---\nname: clerk\ndescription: Files.\nmodel: script/s.yaml\n---\nFile.\n',
  's.yaml': [
    'agents:',
    '  clerk:',
    '    - say: I am the clerk.',
    '    - say: Still the clerk.',
    'rules:',
    '  - {when: Rome, say: Three days in Rome.}',
    '  - {when: Paris, say: And two in Paris.}',
    '  - {when: slash, say: A slash.}',
    "  - {when: '^bad', fail: {status: 400, message: no}}",
  ].join('\n'),
}

/** Pipes this text into `troupe chat` and returns the output. */
async function pipe(
  input: string,
  { folder, args = ['.'] }: { readonly folder: string; readonly args?: readonly string[] },
): Promise<TestContext & { readonly code: number }> {
  const context = testContext({ cwd: folder, home: folder, input })
  const code = await runProgram(['chat', ...args], context)
  return { ...context, code }
}

async function guides(): Promise<string> {
  return (await project(GUIDES)).path
}

describe('troupe chat without a terminal', () => {
  it('troupe chat through a pipe runs each line as a turn of one conversation and prints only the answers on stdout', async () => {
    const folder = await guides()
    const first = await pipe('I want to see Rome.\r\n\nParis too.\n', {
      folder,
      args: ['.', '--session', 'trip'],
    })
    expect([first.code, first.out()]).toEqual([0, 'Three days in Rome.\nAnd two in Paris.\n'])
    expect(first.err()).toContain('started: Paris too.')
    const list = await pipe('', { folder, args: ['.', '--list'] })
    expect(list.out()).toMatch(/^trip {10}guide +2 .* Paris too\.$/mu)
  })

  it('troupe chat --whole sends all of stdin as one message, even if it starts with a slash', async () => {
    const folder = await guides()
    const rome = await pipe('Rome\nand more\n', { folder, args: ['.', '--whole', '--quiet'] })
    expect([rome.code, rome.out(), rome.err()]).toEqual([0, 'Three days in Rome.\n', ''])
    const slash = await pipe('/slash\n', { folder, args: ['.', '--whole', '-q'] })
    expect(slash.out()).toBe('A slash.\n')
  })

  it('troupe chat --session and --continue show the model the messages of an earlier process', async () => {
    const fake = await startFakeAnthropic({ answers: () => ({ text: 'yes' }) })
    onTestFinished(() => fake.close())
    const card = '---\nname: Talker\ndescription: Talks.\nmodel: anthropic/some-model\n---\nTalk.\n'
    const { path: folder } = await project({ 'talker.md': card })
    const env = ['--env', 'ANTHROPIC_API_KEY=key', '--env', `ANTHROPIC_BASE_URL=${fake.baseURL}`]
    await pipe('one\n', { folder, args: ['talker.md', ...env] })
    const second = await pipe('two\n', { folder, args: ['talker.md', '--continue', ...env] })
    expect(second.code).toBe(0)
    const last = (): unknown => fake.requests.at(-1)?.body
    expect(last()).toMatchObject({
      messages: [
        { role: 'user', content: [{ text: 'one' }] },
        { role: 'assistant', content: [{ text: 'yes' }] },
        { role: 'user', content: [{ text: 'two' }] },
      ],
    })
    await pipe('three\n/retry\n', { folder, args: ['talker.md', '--continue', ...env] })
    expect(last()).toMatchObject({
      messages: [
        { content: [{ text: 'one' }] },
        {},
        { content: [{ text: 'two' }] },
        {},
        { role: 'user', content: [{ text: 'three' }] },
      ],
    })
  })

  it('troupe chat continues after a failed turn and exits with the code of the first turn that did not complete', async () => {
    const { code, out, err } = await pipe('bad\nRome\n', { folder: await guides() })
    expect([code, out()]).toEqual([1, 'Three days in Rome.\n'])
    expect(err()).toContain('error:')
  })

  it('troupe chat through a pipe runs slash commands, and sends a line that starts with // as a message', async () => {
    const folder = await guides()
    const { out, err, code } = await pipe(
      'Rome\n//slash\n/agent clerk\nhello\n/agent guide\n/agent\n/model\n/tools\n/runs\n/budget\n/new\n/sessions\n/help\n',
      { folder },
    )
    expect([code, out()]).toEqual([0, 'Three days in Rome.\nA slash.\nI am the clerk.\n'])
    expect(err()).toContain('Talking to guide: continuing at turn 3.')
    expect(err()).toMatch(/^\* {2}guide +Plans\.$/mu)
    expect(err()).toContain('guide uses script/s.yaml.')
    expect(err()).toContain('This agent has no tools.')
    expect(err()).toMatch(/^run_\w+ +guide +Completed .* Rome$/mu)
    expect(err()).toMatch(/^Used since the start: \$0\.00, \d+ tokens, without a limit for the chat\.$/mu)
    expect(err()).toMatch(/^run_\w+ +clerk +1 .* hello$/mu)
    expect(err()).toMatch(/^Answers\n[^]*^ {2}\/budget \[\$0\.50 \| 20000 \| off\] {2}/mu)
  })

  it('/runs with the first characters of an id shows that run', async () => {
    const folder = await guides()
    await pipe('Rome\n', { folder, args: ['.', '--session', 'trip'] })
    const { err } = await pipe('/runs run_\n', { folder, args: ['.', '--session', 'trip'] })
    expect(err()).toMatch(/^guide run_\w+ {2}Completed$/mu)
    expect(err()).toContain('message Rome')
  })

  it('/exit ends the chat, and unknown commands, agents and runs are errors', async () => {
    const folder = await guides()
    expect((await pipe('/exit\nRome\n', { folder })).out()).toBe('')
    const unknown = await pipe('/agnt x\n/agent ghost\n/budget lots\n/retry\n/save\n', { folder })
    expect(unknown.code).toBe(2)
    expect(unknown.err()).toContain('There is no command /agnt. Did you mean /agent?')
    expect(unknown.err()).toContain('There is no agent "ghost"')
    expect(unknown.err()).toContain('"lots" is not a budget.')
    expect(unknown.err()).toContain('There is no message to retry.')
    expect(unknown.err()).toContain('The conversation is empty.')
  })

  it('/model switches the model within a conversation, and keeps the old model if the new one is unknown', async () => {
    const folder = await guides()
    const { out, err } = await pipe('Rome\n/model passthrough\nParis\n/model ghost/none\nLondon\n/runs\n', {
      folder,
    })
    expect(out()).toBe('Three days in Rome.\nParis\nLondon\n')
    expect(err()).toContain('guide uses passthrough.')
    expect(err()).toMatch(/error: .*ghost/u)
    expect(err().match(/^run_\w+ +guide +Completed/gmu)).toHaveLength(3)
  })

  it('a chat with --no-store keeps its conversation in memory, even across /model', async () => {
    const folder = await guides()
    const { out, err } = await pipe('Rome\n/model passthrough\nParis\n/runs\n/retry\n', {
      folder,
      args: ['.', '--no-store'],
    })
    expect(out()).toBe('Three days in Rome.\nParis\nParis\n')
    expect(err().match(/^run_\w+ +guide +Completed/gmu)).toHaveLength(2)
    const refused = await pipe('x', { folder, args: ['.', '--no-store', '--session', 'trip'] })
    expect([refused.code, refused.err()]).toEqual([
      2,
      expect.stringContaining('--session works only with saved runs.'),
    ])
  })

  it('a chat applies its budget to all turns together until /budget raises it', async () => {
    const folder = await guides()
    const { out, err, code } = await pipe('Rome\n/budget 1\nParis\n/budget off\nParis\n', { folder })
    expect([code, out()]).toEqual([1, 'Three days in Rome.\nAnd two in Paris.\n'])
    expect(err()).toContain('The budget of this conversation is used up.')
  })

  it('/save writes all turns of the conversation and never overwrites a file', async () => {
    const folder = await guides()
    await pipe('Rome\n', { folder, args: ['.', '--session', 'trip'] })
    const { err } = await pipe('Paris\n/save\n/save\n/save notes.md\n', {
      folder,
      args: ['.', '--session', 'trip'],
    })
    const text =
      '# Conversation with guide\n\n## You\n\nRome\n\n## guide\n\nThree days in Rome.\n\n## You\n\nParis\n\n## guide\n\nAnd two in Paris.\n'
    expect(readFileSync(path.join(folder, 'chat-trip.md'), 'utf8')).toBe(text)
    expect(readFileSync(path.join(folder, 'notes.md'), 'utf8')).toBe(text)
    expect(err()).toContain('The conversation cannot be saved: EEXIST')
  })

  it('troupe chat exits with 2 for an invalid team or an unknown conversation', async () => {
    const folder = await guides()
    expect((await pipe('x', { folder, args: ['nowhere.md'] })).code).toBe(2)
    const none = await pipe('x', { folder, args: ['.', '--continue'] })
    expect([none.code, none.err()]).toEqual([2, expect.stringContaining('session_unknown')])
  })
})

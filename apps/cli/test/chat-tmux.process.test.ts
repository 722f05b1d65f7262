import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { chatTeam, LOOK_ANSWER } from './chat-team.ts'
import { startSlowModel } from './slow-model.ts'
import { HAS_TMUX, startInTmux, TMUX_NOTE, type TmuxProgram } from './start-in-tmux.ts'
import { project } from './team.ts'

const WORDS = Array.from({ length: 150 }, (_, index) => `word${index}`)
/** Long, because the machine may be busy. */
const POLL = { timeout: 60_000 }
/** The usage, which is the last line of a turn. */
const USAGE = / · .* in, .* out · /u

const TEAM = chatTeam({ delay: '1500ms' })

async function openChat(
  files: Readonly<Record<string, string>>,
  { folder, args = [] }: { readonly folder?: string; readonly args?: readonly string[] } = {},
): Promise<TmuxProgram & { readonly folder: string }> {
  const cwd = folder ?? (await project(files)).path
  const program = await startInTmux(['chat', '.', ...args], cwd)
  await program.shows(/^>$/u)
  return { ...program, folder: cwd }
}

/** Opens a chat with a model that streams its words one by one; every fortieth ends a paragraph. */
async function openSlowChat(): Promise<TmuxProgram> {
  const pieces = WORDS.map((word, at) => (at % 40 === 39 ? `${word}\n\n` : `${word} `))
  const { providers } = await startSlowModel(pieces, { pauseMs: 20 })
  return openChat({
    'one.md': '---\nname: one\ndescription: Talks.\nmodel: openai-compatible/slow\n---\nTalk.\n',
    'troupe.json': JSON.stringify({ providers }),
  })
}

const script = (text: string): string => `rules: [{ when: '', say: ${text} }]\n`

/** Replaces files as a whole. */
async function edit(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, `${name}~`), text)
    await rename(join(folder, `${name}~`), join(folder, name))
  }
}

function wordsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.match(/word\d+/gu) ?? [])
}

async function isOver(program: TmuxProgram): Promise<boolean> {
  return (await program.all()).some((line) => USAGE.test(line))
}

describe.skipIf(!HAS_TMUX)(`troupe chat in tmux${TMUX_NOTE}`, { timeout: 120_000 }, () => {
  it('a chat in tmux streams an answer without flicker and never removes a shown line', async () => {
    const program = await openSlowChat()
    await program.say('go')
    const seen: (readonly string[])[] = []
    while (!(await isOver(program))) seen.push(await program.seen())
    const counts = seen.map((lines) => wordsOf(lines).length)
    expect(counts.filter((count) => count > 0 && count < WORDS.length).length).toBeGreaterThan(10)
    expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    const whileTalking = seen.filter((lines) => wordsOf(lines).length > 0)
    const withPanel = whileTalking.filter((lines) => lines.some((line) => /^\S one {2,}\d/u.test(line)))
    // the last of them may have been seen as the turn ended
    expect(whileTalking.length - withPanel.length).toBeLessThanOrEqual(2)
    expect(wordsOf(await program.all())).toEqual(WORDS)
    const jumps = (await program.bytes()).split('\u001B[').filter((text) => /^\d*A/u.test(text)).length
    // twelve frames a second, and the ends of four paragraphs
    expect(jumps).toBeLessThan(seen.length + 250)
  })

  // tmux wraps the existing lines before it reports its new size: a frame drawn in between may clear words above it
  it(
    'a chat in tmux keeps every word of an answer in order while its window is resized',
    { retry: 2 },
    async () => {
      const program = await openSlowChat()
      await program.say('go')
      await program.shows(/word10/u)
      for (const [columns, rows] of [
        [60, 20],
        [120, 30],
        [40, 10],
        [80, 24],
      ] as const) {
        await program.resize(columns, rows)
        const before = wordsOf(await program.all()).length
        await expect
          .poll(async () => wordsOf(await program.all()).length, POLL)
          .toBeGreaterThanOrEqual(before)
        expect((await program.seen()).every((line) => line.length <= columns)).toBe(true)
      }
      await expect.poll(() => isOver(program), POLL).toBe(true)
      const lines = await program.all()
      // or leave parts of the frame before it
      const places = WORDS.map((word) => wordsOf(lines).lastIndexOf(word))
      expect(places).not.toContain(-1)
      expect(places).toEqual(places.toSorted((one, other) => one - other))
      expect(lines.slice(-2).filter((line) => /^\S one {2,}\d/u.test(line))).toEqual([])
    },
  )

  it(`a chat in tmux shows children, asks for approval, stops at Ctrl-C, retries, and lists its runs ${verifies('D1')}`, async () => {
    const program = await openChat(TEAM)
    await program.say('look')
    await program.shows(/^ {2}\S look\[2\] .*thinking/u)
    await program.shows(/^They saw it\.$/u)
    await program.say('save')
    await program.shows(/^Allow it\? \[y\/N\]/u)
    await program.say('y')
    await program.shows(/^Done: saved it$/u)
    await program.say('wait')
    await program.shows(/boss .*thinking/u)
    await program.press('C-c')
    await program.shows(/^stopped: type \/retry to ask again\.$/u)
    await program.say('/retry')
    await expect
      .poll(async () => (await program.seen()).filter((line) => /boss .*thinking/u.test(line)).length, POLL)
      .toBe(1)
    await program.press('C-c')
    const stopped = async (): Promise<number> =>
      (await program.all()).filter((line) => line.startsWith('stopped:')).length
    await expect.poll(stopped, POLL).toBe(2)
    await program.say('/runs')
    await program.shows(/^run_\w+ +boss +Completed /u)
    await program.shows(/^run_\w+ +boss +Cancelled /u)
    await program.press('C-d')
    expect(await program.ends()).toBe(0)
  })

  it('a chat in tmux removes the panel completely when lines are typed during an answer, and reads those lines afterwards', async () => {
    const program = await openChat(TEAM)
    await program.say('look')
    await program.shows(/^ {2}\S look\[2\] .*thinking/u)
    await program.say('/help')
    await program.say(`/agent ${'x'.repeat(200)}`)
    await program.write('/ru')
    await program.shows(/^They saw it\.$/u)
    await program.shows(/^> \/ru$/u)
    await program.say('ns')
    await program.shows(/^run_\w+ +boss +Completed /u)
    const lines = await program.all()
    const begin = lines.indexOf('> look')
    expect(lines.slice(begin + 1, begin + 6)).toEqual(LOOK_ANSWER)
    expect(lines.filter((line) => line === '> /help')).toHaveLength(1)
  })

  it('a chat in tmux keeps the panel above an approval, and text that was typed before is not its answer', async () => {
    const program = await openChat({
      ...TEAM,
      'look.md': (TEAM['look.md'] ?? '').replace(
        '---\nLook.',
        'functionTools: [t.mjs:save]\npermissions: {ask: [save]}\n---\nLook.',
      ),
      's.yaml': (TEAM['s.yaml'] ?? '').replace(
        'rules:',
        () => "rules:\n  - {when: '^left$', call: [{tool: save, args: {what: it}}], delay: 3s}",
      ),
    })
    await program.say('look')
    await program.shows(/^ {2}\S look\[1\] .*thinking/u)
    await program.say('y')
    await program.write('next')
    await program.shows(/^> next▌$/u)
    await program.shows(/^Allow it\? \[y\/N\]/u)
    const rows = await program.seen()
    const question = rows.findIndex((line) => line.startsWith('look[1] wants to call save'))
    expect(rows.slice(0, question).some((line) => /^\S boss /u.test(line))).toBe(true)
    expect(rows.at(-1)).toMatch(/ ▌$/u)
    await program.say('n')
    await program.shows(USAGE)
    await program.shows(/^> y$/u)
    await program.shows(/^> next$/u)
    const lines = await program.all()
    expect(lines.filter((line) => line.startsWith('Allow it?'))).toEqual([expect.stringMatching(/ n$/u)])
    expect(lines.filter((line) => line.includes('▌'))).toEqual([])
  })

  it('a message of three lines comes back whole from the history, and Ctrl-R finds it', async () => {
    const program = await openChat(TEAM)
    for (const line of ['line one', 'line two']) {
      await program.write(line)
      await program.press('C-j')
    }
    await program.say('line three')
    await program.shows(USAGE)
    await program.press('Up')
    await expect
      .poll(async () => (await program.seen()).slice(-3), POLL)
      .toEqual(['> line one', 'line two', 'line three'])
    await program.press('C-c')
    await program.shows(/^>$/u)
    await program.press('C-r')
    await program.write('two')
    await program.shows(/^search two: line one$/u)
    await program.press('Enter')
    await expect
      .poll(async () => (await program.seen()).slice(-3), POLL)
      .toEqual(['> line one', 'line two', 'line three'])
    await program.press('C-c')
    await program.press('C-d')
    expect(await program.ends()).toBe(0)
  })

  it('what was typed during an answer is kept when Ctrl-C stops it', async () => {
    const program = await openChat(TEAM)
    await program.say('wait')
    await program.shows(/boss .*thinking/u)
    await program.write('my next message')
    await program.press('C-c')
    await program.shows(/^> my next message$/u)
    expect((await program.all()).filter((line) => line.startsWith('stopped:'))).toHaveLength(1)
  })

  it('troupe dev starts a server and shows an error of a card above the prompt until it is fixed', async () => {
    const { path: folder } = await project(TEAM)
    const program = await startInTmux(['dev', '.', '--port', '0'], folder)
    await program.shows(/^>$/u)
    const page = /# page: (?<url>\S+)/u.exec((await program.all()).join('\n'))?.groups?.['url'] ?? ''
    expect((await fetch(`${page}healthz`)).status).toBe(200)
    await program.write('typed')
    await edit(folder, { 'look.md': '---\nname: look\nmodle: x\n---\nLook.\n' })
    await program.shows(/^look\.md:\d+:\d+ +error .*modle/u)
    await edit(folder, { 'look.md': TEAM['look.md'] ?? '' })
    await expect.poll(async () => (await program.seen()).join('\n'), POLL).not.toContain('modle')
    expect((await program.seen()).at(-1)).toBe('> typed')
  })

  it('troupe chat --watch prints edits above the line being typed and applies them from the next message on', async () => {
    const card = (prompt: string): string =>
      `---\nname: one\ndescription: Talks.\nmodel: script/s.yaml\n---\n${prompt}\n`
    const program = await openChat(
      { 'one.md': card('First.'), 's.yaml': script('first') },
      { args: ['--watch'] },
    )
    await program.say('hello')
    await program.shows(/^first$/u)
    await program.write('half a ')
    await edit(program.folder, { 's.yaml': script('second') })
    await program.shows(/^s\.yaml: changed one$/u)
    await edit(program.folder, { 'one.md': card('Bad.').replace('model', 'modell') })
    await program.shows(/^one\.md: has errors, so the previous team stays in use$/u)
    await program.say('line')
    await program.shows(/^second$/u)
    const lines = await program.all()
    expect(lines.filter((line) => line.includes('half a'))).toEqual(['> half a line'])
  })

  it('a chat in tmux continues an earlier conversation', async () => {
    const first = await openChat(TEAM)
    await first.say('save')
    await first.shows(/^Allow it\?/u)
    await first.say('y')
    await first.shows(USAGE)
    await first.press('C-d')
    expect(await first.ends()).toBe(0)
    await first.shows(/^continue troupe chat \. --session run_\w+$/u)
    const next = await openChat(TEAM, { folder: first.folder, args: ['--continue'] })
    expect((await next.all()).slice(0, 3)).toEqual([
      expect.stringMatching(/^Conversation run_\w+ with boss: 1 turn\.$/u),
      '> save',
      'Done: saved it',
    ])
  })
})

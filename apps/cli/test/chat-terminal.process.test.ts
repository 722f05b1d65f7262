import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { chatTeam, LOOK_ANSWER } from './chat-team.ts'
import { HAS_TERMINAL, startInTerminal, TERMINAL_NOTE, type TerminalProgram } from './start-in-terminal.ts'
import type { Screen } from './screen.ts'
import { project } from './team.ts'

/** Long, because the machine may be busy. */
const POLL = { timeout: 60_000 }
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Turns on bracketed paste, which is active while a line is read. */
const BEGINS_TO_READ = '\u001B[?2004h'
const UP = '\u001B[A'
const PANEL_ROW = /^\s*[✓✗■◐◦…?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u
const SPINNER = /^\s*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u

const TEAM = chatTeam({
  delay: '700ms',
  rules: `
  - when: '^plan$'
    say: "# Plan\\n\\nSee **Rome**:\\n\\n1. Forum\\n2. Colosseum\\n\\nThat is all."
  - {when: '^two\\nlines$', say: One message of two lines.}
  - {when: '^long$', say: "${Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join('\\n\\n')}"}`,
})

interface Chat extends TerminalProgram {
  readonly folder: string
  /** Types a line and its Enter. */
  say(line: string): void
  lines(): readonly string[]
  /** Resolves when the program prompts for a line for the nth time. */
  prompts(times: number): Promise<void>
}

async function chat(
  args: readonly string[] = [],
  options: {
    readonly folder?: string
    readonly rows?: number
    readonly onShown?: (screen: Screen) => void
  } = {},
): Promise<Chat> {
  const folder = options.folder ?? (await project(TEAM)).path
  const program = startInTerminal(['chat', '.', ...args], folder, options)
  await program.shows(/^> $|^>$/u)
  return {
    ...program,
    folder,
    say: (line) => program.type(`${line}\r`),
    lines: () => program.screen.all(),
    prompts: (times) =>
      expect.poll(() => program.bytes().split(BEGINS_TO_READ).length - 1, POLL).toBeGreaterThanOrEqual(times),
  }
}

/** Returns how many lines match. */
function count(lines: readonly string[], line: RegExp): number {
  return lines.filter((text) => line.test(text)).length
}

describe.skipIf(!HAS_TERMINAL)(`troupe chat on a real terminal${TERMINAL_NOTE}`, { timeout: 90_000 }, () => {
  it(`a chat renders the Markdown of the answer, prints the usage of the turn, and at Ctrl-D prints the command that continues it`, async () => {
    const program = await chat()
    program.say('plan')
    await program.shows(/ · \$0\.00$/u)
    program.type(CTRL_D)
    expect(await program.ends()).toBe(0)
    const lines = program.lines()
    expect(lines.slice(0, 9)).toEqual([
      'boss Type /help for commands, Ctrl-D to exit.',
      '> plan',
      'Plan',
      '',
      'See Rome:',
      '',
      '1. Forum',
      '2. Colosseum',
      '',
    ])
    expect(lines[9]).toBe('That is all.')
    expect(program.bytes()).toContain('\u001B[1mRome\u001B[22m')
    expect(lines.at(-1)).toMatch(/^continue troupe chat \. --session run_\w+$/u)
  })

  it('a chat shows children below the answer and keeps their rows, without repeating or losing a line', async () => {
    const left = new Set<string>()
    let atWork = 0
    const program = await chat([], {
      onShown: (screen) => {
        for (const line of screen.scrolledOff().filter((text) => SPINNER.test(text))) left.add(line)
        atWork = Math.max(atWork, count(screen.visible(), /^ {2}\S look\[[12]\] /u))
      },
    })
    program.say('look')
    await program.shows(/They saw it\./u)
    await program.shows(/2 child runs/u)
    const lines = program.lines()
    const begin = lines.indexOf('> look')
    expect(lines.slice(begin + 1, begin + 6)).toEqual(LOOK_ANSWER)
    expect([...left]).toEqual([])
    expect(atWork).toBe(2)
    expect(count(lines, SPINNER)).toBe(0)
  })

  it('a chat never redraws the finished lines of a long answer', async () => {
    let before: readonly string[] = []
    const lost: string[] = []
    const program = await chat([], {
      onShown: (screen) => {
        const now = screen.all().filter((line) => /^line \d+$/u.test(line))
        // the last one may be in the frame that is overwritten
        if (now.length < before.length - 1) lost.push(`${before.length} then ${now.length}`)
        if (new Set(now).size !== now.length) lost.push('twice')
        before = now
      },
    })
    program.say('long')
    await program.shows(/ · \$0\.00$/u)
    expect(count(program.lines(), /^line \d+$/u)).toBe(60)
    expect(lost).toEqual([])
  })

  it('Ctrl-C stops the answer of a chat but not the program, and the next turn continues the conversation', async () => {
    const program = await chat()
    program.say('wait')
    await program.shows(/boss .*thinking/u)
    program.type(CTRL_C)
    await program.shows(/^stopped: type \/retry to ask again\.$/u)
    await program.prompts(2)
    program.say('plan')
    await program.shows(/^That is all\.$/u)
    program.say('/runs')
    await program.shows(/^run_\w+ +boss +Completed /u)
    expect(count(program.lines(), /^run_\w+ +boss +Cancelled /u)).toBe(1)
    program.say('/exit')
    expect(await program.ends()).toBe(0)
  })

  it('Ctrl-C clears the line of a chat, and pressed twice on an empty line exits', async () => {
    const program = await chat()
    program.type('never said')
    await program.shows(/never said/u)
    program.type(CTRL_C)
    await program.shows(/\^C$/u)
    program.type(CTRL_C)
    await program.shows(/^Press Ctrl-C again or Ctrl-D to exit\.$/u)
    // between two lines Ctrl-C is ignored
    await program.prompts(2)
    program.type(CTRL_C)
    expect(await program.ends()).toBe(0)
  })

  it('a chat asks for an approval below the panel and does not send the answer as a message', async () => {
    const program = await chat()
    program.say('save')
    await program.shows(/^Allow it\? \[y\/N\]/u)
    program.say('y')
    await program.prompts(2)
    await expect.poll(() => count(program.lines(), /^Done: saved it$/u), POLL).toBe(1)
    program.type(UP)
    await expect.poll(() => count(program.lines(), /^> save$/u), POLL).toBe(2)
    program.say('')
    await expect.poll(() => count(program.lines(), /^Allow it\?/u), POLL).toBe(2)
    program.type(CTRL_C)
    await program.shows(/^stopped: /u)
    program.type(CTRL_D)
    expect(await program.ends()).toBe(0)
  })

  it('the prompt of a chat has a history across processes and completes commands and agents', async () => {
    const first = await chat()
    first.say('plan')
    await first.shows(/ · \$0\.00$/u)
    first.type(CTRL_D)
    await first.ends()
    const program = await chat([], { folder: first.folder })
    program.type(UP)
    await program.shows(/^> plan$/u)
    program.type('\u0001\u000B/ag')
    await program.shows(/^> \/ag$/u)
    program.type('\t')
    await program.shows(/^> \/agent *$/u)
    program.type('lo')
    await program.shows(/^> \/agent lo$/u)
    program.type('\t')
    await program.shows(/^> \/agent look *$/u)
    program.type('\r')
    await program.shows(/^Talking to look: a new conversation\.$/u)
    await program.prompts(2)
    program.type('\u001B[200~two\nlines\u001B[201~')
    program.type('\r')
    await program.prompts(3)
    program.say('two\\')
    program.say('lines')
    await expect.poll(() => count(program.lines(), /^One message of two lines\.$/u), POLL).toBe(2)
  })

  it('a chat exits after a Ctrl-D that was typed during an answer', async () => {
    const program = await chat()
    program.say('look')
    await program.shows(/look\[1\]/u)
    program.type(CTRL_D)
    expect(await program.ends()).toBe(0)
    expect(count(program.lines(), /They saw it\./u)).toBe(1)
  })

  it('a line typed during an answer becomes the next message of a chat', async () => {
    const program = await chat()
    program.say('look')
    await program.shows(/look\[1\]/u)
    program.say('plan')
    await program.shows(/^That is all\.$/u)
    expect(count(program.lines(), /They saw it\./u)).toBe(1)
  })

  it('a continued conversation shows its last turn, and /retry and /save include it', async () => {
    const first = await chat(['--session', 'trip'])
    first.say('plan')
    await first.shows(/ · \$0\.00$/u)
    first.type(CTRL_D)
    await first.ends()
    const program = await chat(['--continue'], { folder: first.folder })
    expect(program.lines().slice(0, 3)).toEqual(['Conversation trip with boss: 1 turn.', '> plan', 'Plan'])
    program.say('/retry')
    await program.shows(/ · \$0\.00$/u)
    program.say('/save trip.md')
    await program.shows(/^Saved to trip\.md\.$/u)
    expect(existsSync(path.join(first.folder, 'trip.md'))).toBe(true)
    expect(readFileSync(path.join(first.folder, 'trip.md'), 'utf8').match(/^## You$/gmu)).toHaveLength(1)
  })

  it('troupe chat --verbose prints lines instead of the panel', async () => {
    const program = await chat(['--verbose'])
    program.say('look')
    await program.shows(/^They saw it\.$/u)
    expect(count(program.lines(), PANEL_ROW)).toBe(0)
    expect(count(program.lines(), /^child:agent__look\[\d\] \w{8} completed/u)).toBe(2)
  })
})

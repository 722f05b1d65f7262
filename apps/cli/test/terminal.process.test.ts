import { existsSync } from 'node:fs'
import path from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { plainText } from '@troupe/timeline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BLOCKING_TEAM, BLOCKING_TEAMS, HANGING_TEAM } from './deep-team.ts'
import { FAN_OUT_TEAM } from './fan-out-team.ts'
import { isAlive } from './is-alive.ts'
import { serverPids } from './server-pids.ts'
import { startInTerminal, HAS_TERMINAL, TERMINAL_NOTE } from './start-in-terminal.ts'
import { startProgram } from './start-program.ts'
import { project } from './team.ts'

/** Long, because the machine may be busy. */
const POLL = { timeout: 30_000 }
const CTRL_C = '\u0003'
const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'
const PANEL_ROW = /^\s*[✓✗■◐◦…?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u
const SPINNER = /^\s*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u
const SUMMARY = [
  /^agent +runs +model calls +tool calls +tokens in +out +cost +time$/u,
  /^Lead +1 +2 +40 +/u,
  /^Worker +40 +80 +40 +/u,
  /^total +41 +82 +80 +/u,
]

describe.skipIf(!HAS_TERMINAL)(`the program on a real terminal${TERMINAL_NOTE}`, () => {
  it(`the program shows forty children within 80x24, then the answer and the table ${verifies('A4', 'A22', 'A68', 'A85', 'B15')}`, async () => {
    const folder = await project(FAN_OUT_TEAM)
    const left = new Set<string>()
    let highest = 0
    const program = startInTerminal(['run', 'team', 'go'], folder.path, {
      onShown: (screen) => {
        for (const line of screen.scrolledOff().filter((text) => SPINNER.test(text))) left.add(line)
        highest = Math.max(highest, screen.visible().filter((line) => SPINNER.test(line)).length)
      },
    })
    expect(await program.ends()).toBe(0)
    expect([...left]).toEqual([])
    expect(highest).toBeGreaterThan(1)
    const lines = program.screen.all()
    expect(lines[0]).toBe('I ask forty. 東京')
    const rows = lines.filter((line) => PANEL_ROW.test(line))
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^ {2}✓ Worker ×40 +\d.* s {2}40 ✓ · median /u)
    expect(rows[1]).toMatch(/^✓ \w+ +\d.* m?s {2}Completed, 40 tool calls$/u)
    expect(lines).toContain('All have worked.')
    for (const [index, row] of SUMMARY.entries()) expect(lines.at(index - SUMMARY.length - 1)).toMatch(row)
    expect(lines.at(-1)).toMatch(/^troupe runs show run_[\da-f]{32}$/u)
    expect(lines.filter((line) => line === 'All have worked.')).toHaveLength(1)
    expect(lines.filter((line) => line !== '')).toHaveLength(4 + SUMMARY.length + 1)
  })

  it('the program fits the table into 60 columns', async () => {
    const folder = await project(FAN_OUT_TEAM)
    const program = startInTerminal(['run', 'team', 'go'], folder.path, { columns: 60 })
    expect(await program.ends()).toBe(0)
    expect(program.screen.all().at(-5)).toMatch(/^agent +runs +tool calls +tokens in +out +cost +time$/u)
    expect(program.screen.all().at(-2)).toMatch(/^total +41 +80 /u)
  })

  it('the program prints colours unless NO_COLOR is set', async () => {
    const folder = await project(FAN_OUT_TEAM)
    const colorful = startInTerminal(['run', 'team', 'go'], folder.path)
    const plain = startInTerminal(['run', 'team', 'go'], folder.path, { env: { NO_COLOR: '1' } })
    await Promise.all([colorful.ends(), plain.ends()])
    const color = '\u001B[32m'
    expect([colorful.bytes().includes(color), plain.bytes().includes(color)]).toEqual([true, false])
    expect(plain.screen.all().at(-2)).toMatch(SUMMARY[3] ?? /never/u)
  })

  it('--quiet shows only the answer, and --verbose and --log-format show lines instead of the panel', async () => {
    const folder = await project(FAN_OUT_TEAM)
    const start = (...options: readonly string[]) =>
      startInTerminal(['run', 'team', 'go', ...options], folder.path)
    const [quiet, verbose, text] = [start('-q'), start('-v'), start('--log-format', 'text')]
    await Promise.all([quiet.ends(), verbose.ends(), text.ends()])
    expect(quiet.screen.all()).toEqual(['All have worked.'])
    for (const program of [verbose, text]) {
      expect(program.bytes()).not.toContain(HIDE_CURSOR)
      expect(program.screen.all().filter((line) => /^Lead \w{8} calls /u.test(line))).toHaveLength(40)
    }
  })

  it(`Ctrl-C marks every row as stopped once, and nothing is drawn after that ${verifies('C47', 'A22')}`, async () => {
    const folder = await project(HANGING_TEAM)
    const program = startInTerminal(['run', 'team', 'go'], folder.path)
    await program.shows(/Leaf\[3\].*calls stubborn__wait/u)
    program.type(CTRL_C)
    expect(await program.ends()).toBe(130)
    const rows = program.screen.all().filter((line) => PANEL_ROW.test(line))
    expect(rows.map((line) => line.replace(/\s+\d.*(?:Interrupted)/u, ' Interrupted').split(',')[0])).toEqual(
      [
        '■ Top Interrupted',
        ...['1] a', '2] b'].flatMap((middle) => [
          `  ■ Middle[${middle} Interrupted`,
          ...['1] deaf', '2] polite', '3] mcp', '4] think'].map((leaf) => `    ■ Leaf[${leaf} Interrupted`),
        ]),
      ],
    )
    expect(program.bytes().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(program.bytes().lastIndexOf(HIDE_CURSOR))
  })

  it('a second Ctrl-C ends the program at once', async () => {
    const folder = await project(HANGING_TEAM)
    const program = startInTerminal(['run', 'team', 'go'], folder.path)
    await program.shows(/Leaf\[3\].*calls stubborn__wait/u)
    program.type(CTRL_C)
    await program.shows(/^interrupted:/u)
    program.type(CTRL_C)
    expect(await program.ends()).toBe(130)
  })

  it.each(BLOCKING_TEAMS)(
    'Ctrl-C ends the program and its servers while a function blocks the only thread %s',
    async (_how, team) => {
      const folder = await project(team)
      const program = startInTerminal(['run', 'team', 'go'], folder.path)
      await expect.poll(() => existsSync(path.join(folder.path, 'spinning')), POLL).toBe(true)
      const pids = serverPids(folder.path)
      expect(pids.every(isAlive)).toBe(true)
      // the first ones may arrive before the thread that handles them has started
      const typing = setInterval(() => program.type(CTRL_C), 500)
      onTestFinished(() => clearInterval(typing))
      expect(await program.ends()).toBe(130)
      expect(program.bytes()).toContain(SHOW_CURSOR)
      expect(program.bytes().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(
        program.bytes().lastIndexOf(HIDE_CURSOR),
      )
      await expect.poll(() => pids.filter(isAlive), POLL).toEqual([])
    },
  )

  it('Ctrl-C pressed many times in a row while a function blocks the only thread ends the servers and shows the cursor', async () => {
    const folder = await project(BLOCKING_TEAM)
    const program = startInTerminal(['run', 'team', 'go'], folder.path)
    await expect.poll(() => existsSync(path.join(folder.path, 'spinning')), POLL).toBe(true)
    const pids = serverPids(folder.path)
    // about as fast as a key that is held down repeats
    const typing = setInterval(() => program.type(CTRL_C), 20)
    onTestFinished(() => clearInterval(typing))
    expect(await program.ends()).toBe(130)
    expect(program.bytes().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(program.bytes().lastIndexOf(HIDE_CURSOR))
    await expect.poll(() => pids.filter(isAlive), POLL).toEqual([])
  })
})

it(`stderr in a file has exactly one plain line per notable event ${verifies('C56', 'C57')}`, async () => {
  const folder = await project(FAN_OUT_TEAM)
  const program = startProgram(['run', 'team', 'go'], folder.path)
  expect(await program.ends()).toEqual([0, null])
  expect(program.out()).toBe('All have worked.\n')
  const [log = '', table = ''] = program.err().split('\n\n')
  const lines = log.split('\n')
  const kinds: readonly (readonly [string, RegExp, number])[] = [
    ['starts', /^\S+ \w{8} started: /u, 41],
    ['ends', /^\S+ \w{8} completed \(/u, 41],
    ['calls of children', /^Lead \w{8} calls agent__Worker\[\d+\] \{/u, 40],
    ['places in the queue', /^Lead \w{8} agent__Worker\[\d+\] is queued at position \d+$/u, 32],
    ['results of children', /^Lead \w{8} agent__Worker\[\d+\] completed \(/u, 40],
    ['calls of tools', /^child:agent__Worker\[\d+\] \w{8} calls look \{/u, 40],
    ['results of tools', /^child:agent__Worker\[\d+\] \w{8} look completed \(/u, 40],
    ['usage', /^\S+ \w{8} used /u, 82],
    ['what the root says', /^Lead says: I ask forty\. 東京$/u, 1],
  ]
  for (const [kind, pattern, count] of kinds)
    expect([kind, lines.filter((line) => pattern.test(line)).length]).toEqual([kind, count])
  expect(lines).toHaveLength(kinds.reduce((sum, [, , count]) => sum + count, 0))
  expect(plainText(program.err(), { lines: true })).toBe(program.err())
  for (const [index, row] of SUMMARY.entries()) expect(table.split('\n')[index]).toMatch(row)
})

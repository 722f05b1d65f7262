import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { FAN_OUT_TEAM } from './fan-out-team.ts'
import { HAS_TMUX, startInTmux, TMUX_NOTE } from './start-in-tmux.ts'
import { project } from './team.ts'

/** The fan-out, whose children wait for an approval. */
const ASKING_TEAM = {
  ...FAN_OUT_TEAM,
  'team/worker.md': (FAN_OUT_TEAM['team/worker.md'] ?? '').replace(
    'functionTools:',
    'requiresApproval: [look]\nfunctionTools:',
  ),
}
/** Long, because the machine may be busy. */
const POLL = { timeout: 60_000 }

describe.skipIf(!HAS_TMUX)(`troupe run in tmux${TMUX_NOTE}`, { timeout: 120_000 }, () => {
  it('a run in tmux keeps the panel above an approval, reacts to keys, and shows nothing that is typed', async () => {
    const { path } = await project(ASKING_TEAM)
    const program = await startInTmux(['run', 'team', 'go'], path)
    await program.shows(/^Allow it\? \[y\/N\]/u)
    const rows = await program.seen()
    const question = rows.findIndex((line) => line.startsWith('Worker[1] wants to call look'))
    expect(rows.slice(0, question).some((line) => line.includes('Worker ×40'))).toBe(true)
    await program.press('y')
    await program.press('Enter')
    await program.shows(/^Worker\[2\] wants to call look/u)
    expect((await program.all()).filter((line) => line === 'y')).toEqual([])
    await program.press('C-c')
    expect(await program.ends()).toBe(130)
    expect((await program.all()).filter((line) => line.includes('▌'))).toEqual([])
  })

  it('an answer that was typed before the question of a run in tmux was shown does not answer it', async () => {
    const { path } = await project({
      'team/clerk.md':
        '---\nname: Clerk\ndescription: Pays.\nmodel: script/script.yaml\nfunctionTools: [tools.mjs:pay]\nrequiresApproval: [pay]\n---\nPay.\n',
      'team/tools.mjs': "export const pay = () => 'paid'\npay.description = 'Pays.'\n",
      'team/script.yaml': "agents: {Clerk: [{call: [{tool: pay, args: {}}]}, {say: '{{results.0.text}}'}]}\n",
    })
    for (const options of [[], ['--quiet']]) {
      const program = await startInTmux(['run', 'team', 'go', ...options], path)
      await program.press('y')
      await program.press('Enter')
      await program.shows(/^Allow it\? \[y\/N\]/u)
      await program.press('n')
      await program.press('Enter')
      await program.shows(/denied at the terminal/u)
      expect((await program.all()).filter((line) => line.includes('paid'))).toEqual([])
    }
  })

  it('a run in tmux offers its page only if a server shows the run', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url?.startsWith('/api/runs/run_') === true ? 200 : 404
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { path } = await project({
      ...ASKING_TEAM,
      'team/troupe.json': JSON.stringify({ server: { port } }),
    })
    const program = await startInTmux(['run', 'team', 'go', '--store', 'runs.db'], path, { columns: 100 })
    await program.shows(/^\d+\/40 done .* · o page$/u)
    await program.press('C-c')
    expect(await program.ends()).toBe(130)
    const alone = await startInTmux(['run', 'team', 'go', '--no-store'], path, { columns: 100 })
    await alone.shows(/^Allow it\? \[y\/N\]/u)
    expect((await alone.seen()).filter((line) => line.includes('o page'))).toEqual([])
    await alone.press('C-c')
    expect(await alone.ends()).toBe(130)
  })

  it('the tree of a saved run in tmux opens on its own screen, which q leaves', async () => {
    const { path } = await project(FAN_OUT_TEAM)
    const run = await startInTmux(['run', 'team', 'go', '--store', 'runs.db'], path)
    await run.shows(/^troupe runs show (run_\w+)/u)
    const hint = (await run.all()).find((line) => line.startsWith('troupe runs show ')) ?? ''
    const tree = await startInTmux(['runs', 'show', hint.split(' ')[3] ?? '', '--store', 'runs.db'], path)
    await tree.shows(/^›▾ ✓ .* Lead go$/u)
    await tree.press('End')
    await expect
      .poll(async () => (await tree.seen()).join('\n'), POLL)
      .toMatch(/^› .*Worker\[40\] item 40$/mu)
    await tree.press('q')
    expect(await tree.ends()).toBe(0)
    expect((await tree.all()).filter((line) => line.includes('Worker'))).toEqual([])
  })
})

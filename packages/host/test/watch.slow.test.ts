import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptedModel } from '@troupe/testkit'
import { deferred, leakCheck } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WatchedReload } from '../src/index.ts'
import { card, openTeam, type RunningTeam } from './support/open-team.ts'

const A = { name: 'A', default: true, model: 'passthrough' }

/** Every reload that a watch tells, in order. */
async function watch(host: RunningTeam) {
  const told: WatchedReload[] = []
  const waiting: (() => void)[] = []
  const watching = await host.watch({
    debounce: 60,
    onReload: (reload) => {
      told.push(reload)
      for (const wake of waiting.splice(0)) wake()
    },
  })
  onTestFinished(() => watching.close())
  /** Waits for the first reload, past or future, that matches. */
  const until = async (isSo: (reload: WatchedReload) => boolean): Promise<WatchedReload> => {
    for (;;) {
      const found = told.find(isSo)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
  }
  /** As editors do it: the file is never seen half written. */
  const edit = async (file: string, text: string): Promise<void> => {
    await writeFile(join(host.path, `${file}~`), text)
    await rename(join(host.path, `${file}~`), join(host.path, file))
  }
  return { told, until, edit, close: () => watching.close() }
}

const isTaken = ({ outcome }: WatchedReload): boolean => outcome === 'taken'
const isKept = ({ outcome }: WatchedReload): boolean => outcome === 'kept'

describe('host.watch', () => {
  it('watch uses an edited card for new runs while the run in progress keeps its own', async () => {
    const gate = deferred()
    const model = scriptedModel([{ text: 'old', wait: gate.promise }, { text: 'new' }])
    const host = await openTeam({ 'a.md': card({ ...A, model: 'm' }, 'Old.') }, { models: { m: model } })
    const { until, edit } = await watch(host)
    const running = host.run(undefined, 'x')
    await edit('a.md', card({ ...A, model: 'm' }, 'New.'))
    expect(await until(isTaken)).toMatchObject({ changed: ['A'], files: [join(host.path, 'a.md')] })
    expect((await host.run(undefined, 'x')).output.text).toBe('new')
    gate.resolve()
    expect((await running).output.text).toBe('old')
    expect(model.calls.map((call) => call.prompt[0]?.content)).toEqual(['Old.', 'New.'])
  })

  it('watch reports once why it rejects an invalid edit, and that it is resolved when the edit is reverted', async () => {
    const host = await openTeam({ 'a.md': card(A, 'One.') })
    const { told, until, edit } = await watch(host)
    await edit('a.md', '---\nmodell: x\n---\nTwo.\n')
    const { problems, blocked } = await until(isKept)
    expect(blocked).toEqual(['A'])
    expect(problems[0]).toMatchObject({ code: 'card_unknown_key', file: join(host.path, 'a.md'), line: 2 })
    await edit('a.md', card(A, 'One.'))
    expect(await until(({ outcome }) => outcome === 'unchanged')).toMatchObject({ problems: [], blocked: [] })
    expect(told.map(({ outcome }) => outcome)).toEqual(['kept', 'unchanged'])
  })

  it('watch detects cards that are added, deleted and replaced as editors do it', async () => {
    const host = await openTeam({ 'a.md': card(A) })
    const { until, edit } = await watch(host)
    await edit('b.md', card({ name: 'B', model: 'passthrough' }))
    expect(await until(isTaken)).toMatchObject({ added: ['B'] })
    await edit('b.md', card({ name: 'B', model: 'passthrough' }, 'Replaced.'))
    await until(({ changed }) => changed.includes('B'))
    expect(host.definition('B').instruction).toBe('Replaced.')
    await rm(join(host.path, 'b.md'))
    await until(({ removed }) => removed.includes('B'))
  })

  it.each([
    { what: 'a sidecar that was not there', file: 'troupe.env', text: 'OTHER=1\n' },
    {
      what: 'a configuration that was not there',
      file: 'troupe.json',
      text: '{"defaults": {"model": "passthrough"}}',
    },
    {
      what: 'a hook',
      file: 'code/hooks.ts',
      text: 'export const pass = async (ctx, args, callNext) => callNext({ ...args })\n',
    },
    { what: 'a module that a hook imports', file: 'code/lib/words.ts', text: 'export const word = 2\n' },
    {
      what: 'a skill',
      file: 'skills/sum/SKILL.md',
      text: '---\nname: sum\ndescription: Subtracts.\n---\nSum.\n',
    },
    { what: 'a script', file: 'scripts/s.yaml', text: 'agents: {A: [{say: two}]}\n' },
    {
      what: 'a schema',
      file: 'schemas/in.json',
      text: '{"type": "object", "properties": {"b": {"type": "string"}}}',
    },
  ])('watch detects an edit of $what', async ({ file, text }) => {
    const host = await openTeam({
      'a.md': card({
        ...A,
        model: 'script/scripts/s.yaml',
        toolHooks: ['code/hooks.ts:pass'],
        skills: ['skills'],
        input: { format: 'json', schema: 'schemas/in.json' },
      }),
      'code/hooks.ts': `import './lib/words.ts'\nexport const pass = async (ctx, args, callNext) => callNext(args)\n`,
      'code/lib/words.ts': 'export const word = 1\n',
      'skills/sum/SKILL.md': '---\nname: sum\ndescription: Adds.\n---\nSum.\n',
      'scripts/s.yaml': 'agents: {A: [{say: one}]}\n',
      'schemas/in.json': '{"type": "object", "properties": {"a": {"type": "string"}}}',
    })
    expect(host.plan().problems).toEqual([])
    const { until, edit } = await watch(host)
    await edit(file, text)
    expect(await until(isTaken)).toMatchObject({ problems: [], files: [join(host.path, file)] })
  })

  it('watch detects the missing module of a rejected edit in a new folder', async () => {
    const host = await openTeam({ 'a.md': card(A) })
    const { until, edit } = await watch(host)
    await edit('a.md', card({ ...A, functionTools: ['new/deep/code.ts:say'] }))
    expect((await until(isKept)).problems[0]).toMatchObject({ code: 'function_not_found' })
    await mkdir(join(host.path, 'new/deep'), { recursive: true })
    await edit('new/deep/code.ts', `export const say = () => 'x'\n`)
    await until(isTaken)
    expect(host.plan().agents[0]?.functionTools).toEqual(['say'])
  })

  it('watch does not reload for files that are not part of the team', async () => {
    const host = await openTeam({ 'a.md': card(A), 'node_modules/x/y.md': card({ name: 'Y' }) })
    const { told, until, edit } = await watch(host)
    await edit('audit.log', 'line\n')
    await edit('node_modules/x/y.md', card({ name: 'Z' }))
    await edit('notes.md', 'No card.\n')
    await edit('a.md', card(A, 'New.'))
    const { files } = await until(isTaken)
    expect(files.filter((file) => !/(?:a|notes)\.md$/u.test(file))).toEqual([])
    expect(told.length).toBe(1)
  })

  it('watch combines many quick edits into one reload with the last', async () => {
    const host = await openTeam({ 'a.md': card(A, '0.') })
    const { told, until } = await watch(host)
    for (let count = 1; count <= 50; count += 1)
      await writeFile(join(host.path, 'a.md'), card(A, `${count}.`))
    await until(() => host.definition('A').instruction === '50.')
    expect(told.length).toBeLessThanOrEqual(50)
    expect(told.flatMap(({ removed }) => removed)).toEqual([])
  })

  it('watch detects edits between loading the team and starting to watch', async () => {
    const host = await openTeam({ 'a.md': card(A, 'Old.') })
    await writeFile(join(host.path, 'a.md'), card(A, 'New.'))
    const { told } = await watch(host)
    // no change was heard: the file is that of the agent
    expect(told.map(({ changed, files }) => [changed, files])).toEqual([[['A'], [join(host.path, 'a.md')]]])
    expect(host.definition('A').instruction).toBe('New.')
  })

  it('watch continues when its listener throws', async () => {
    const host = await openTeam({ 'a.md': card(A, '0.') })
    const heard = [deferred(), deferred()]
    let count = 0
    await using watching = await host.watch({
      onReload: () => {
        heard[count++]?.resolve()
        throw new RangeError('not our fault')
      },
    })
    expect(watching).toBeDefined()
    await writeFile(join(host.path, 'a.md'), card(A, '1.'))
    await heard[0]?.promise
    await writeFile(join(host.path, 'a.md'), card(A, '2.'))
    await heard[1]?.promise
    expect(host.definition('A').instruction).toBe('2.')
  })

  it('watch releases everything when it or its host is closed', async () => {
    const clean = leakCheck()
    const host = await openTeam({ 'a.md': card(A) })
    const { told, edit, close } = await watch(host)
    await close()
    await clean.assertClean()
    await watch(host)
    await edit('a.md', card(A, 'New.'))
    await host.close()
    await clean.assertClean()
    expect(told).toEqual([])
  })
})

import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { openRuntime } from './support/open-runtime.ts'

const DENIED = { failure: { code: 'filesystem_denied' } }

describe('the memory tools', () => {
  it('notes are Markdown files in the folder that the card names, which people can edit', async () => {
    const { call, project } = await openRuntime({}, { memory: 'team/notes' })
    expect(resultText(await call('memory.list', {}))).toBe('There are no notes.')
    const written = await call('memory.write', { name: 'Ada likes', content: '- tea' })
    expect(written.structured).toEqual({ path: 'team/notes/Ada likes.md', bytes: 5 })
    expect(await project.read('team/notes/Ada likes.md')).toBe('- tea')
    await project.write('team/notes/rooms.md', 'red\nblue\n')
    expect(resultText(await call('memory.list', {}))).toBe('Ada likes.md (5 bytes)\nrooms.md (9 bytes)')
    expect(resultText(await call('memory.read', { name: 'rooms', offset: 2 }))).toBe('blue')
    expect(resultText(await call('memory.read', { name: 'rooms.md', limit: 1 }))).toContain(
      'Continue with offset 2',
    )
    await call('memory.delete', { name: 'rooms' })
    expect(resultText(await call('memory.list', {}))).toBe('Ada likes.md (5 bytes)')
  })

  it('notes are in the folder `memory` if the card names none', async () => {
    const { call, project } = await openRuntime()
    await call('memory.write', { name: 'x', content: 'y' })
    expect(await project.read('memory/x.md')).toBe('y')
  })

  it('memory.write appends on a new line, also in parallel', async () => {
    const { call } = await openRuntime()
    const append = (content: string): Promise<unknown> =>
      call('memory.write', { name: 'log', content, mode: 'append' })
    await Promise.all(['a', 'b', 'c'].map(append))
    expect(resultText(await call('memory.read', { name: 'log' }))).toBe('a\nb\nc')
  })

  it.each(['../x', 'a/b', String.raw`a\b`, '.hidden', '..', '/etc/passwd', 'a\0b', '~', ' '])(
    'notes cannot have the name %j',
    async (name) => {
      const { call } = await openRuntime({ 'x.md': 'secret' })
      for (const tool of ['memory.read', 'memory.write', 'memory.delete']) {
        const args = tool === 'memory.write' ? { name, content: 'x' } : { name }
        expect(await call(tool, args), `${tool} ${name}`).toMatchObject(DENIED)
      }
    },
  )

  it('notes cannot leave their folder through a link', async () => {
    const { call, project } = await openRuntime({ 'secret.md': 'secret', 'memory/a.md': 'a' })
    await symlink(join(project.path, 'secret.md'), join(project.path, 'memory/link.md'))
    await symlink('/etc/passwd', join(project.path, 'memory/out.md'))
    for (const name of ['link', 'out'])
      for (const tool of ['memory.read', 'memory.write', 'memory.delete']) {
        const args = tool === 'memory.write' ? { name, content: 'x' } : { name }
        expect(await call(tool, args), `${tool} ${name}`).toMatchObject(DENIED)
      }
    expect(resultText(await call('memory.list', {}))).toBe('a.md (1 bytes)')
    expect(await project.read('secret.md')).toBe('secret')
  })

  it('a folder of notes outside the root folder is refused, also behind a link', async () => {
    const { call, project } = await openRuntime({ 'root/x': '' }, { root: 'root', memory: 'link' })
    await mkdir(join(project.path, 'outside'))
    await symlink(join(project.path, 'outside'), join(project.path, 'root/link'))
    expect((await call('memory.write', { name: 'a', content: 'x' })).failure?.code).toBe('filesystem_denied')
    expect((await call('memory.list', {})).failure?.code).toBe('filesystem_denied')
    const above = await openRuntime({}, { memory: '../notes' })
    expect((await above.call('memory.write', { name: 'a', content: 'x' })).failure?.code).toBe(
      'filesystem_denied',
    )
  })

  it('notes never change files of the team', async () => {
    const { call, project } = await openRuntime({ 'memory/SKILL.md': 'x', 'memory/b.agent.md': 'x' })
    for (const name of ['SKILL', 'b.agent'])
      for (const tool of ['memory.write', 'memory.delete']) {
        const args = tool === 'memory.write' ? { name, content: 'y' } : { name }
        expect(await call(tool, args), `${tool} ${name}`).toMatchObject(DENIED)
      }
    expect(await project.read('memory/SKILL.md')).toBe('x')
  })

  it('a note has at most 64 KiB, and reading a missing one fails with its path', async () => {
    const { call } = await openRuntime({ 'memory/a.md': '' })
    const large = await call('memory.write', { name: 'a', content: 'x'.repeat(65_537) })
    expect(large.failure).toMatchObject({
      code: 'filesystem_failed',
      message: expect.stringContaining('65536'),
    })
    for (const tool of ['memory.read', 'memory.delete'])
      expect((await call(tool, { name: 'none' })).failure).toMatchObject({
        code: 'filesystem_failed',
        message: expect.stringMatching(/^"memory\/none\.md" does not exist/u) as string,
      })
  })

  it('writing and deleting notes asks by default, and rules compare the file name', async () => {
    const { tools } = await openRuntime()
    const asking = tools.filter(
      ({ name, requiresApproval }) => name.startsWith('memory.') && requiresApproval,
    )
    expect(asking.map(({ name }) => name)).toEqual(['memory.write', 'memory.delete'])
    expect(await asking[0]?.ruleArguments?.['name']?.read({ name: 'plan' })).toBe('plan.md')
  })
})

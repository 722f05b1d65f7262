import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText } from '@troupe/schema'
import { tempProject, verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRuntime, type OpenRuntime } from './support/open-runtime.ts'

const SECRET = 'what lies outside'

/** Creates a folder `root` next to files that no tool may reach, with links of all kinds in it. */
async function openTrap(): Promise<OpenRuntime> {
  const open = await openRuntime(
    {
      'root/in/a.txt': 'inside',
      'outside/secret.txt': SECRET,
      'root-evil/secret.txt': SECRET,
      'secret.txt': SECRET,
    },
    { root: 'root' },
  )
  const { path } = open.project
  await symlink('../../outside', join(path, 'root/in/folder'))
  await symlink('../outside/secret.txt', join(path, 'root/file'))
  await symlink(join(path, 'outside'), join(path, 'root/absolute'))
  await symlink('../outside/new.txt', join(path, 'root/dangling'))
  await symlink('loop', join(path, 'root/loop'))
  await symlink('in/a.txt', join(path, 'root/good'))
  return open
}

function ignored(): void {
  // the next round of swaps repairs it
}

/** Returns the names of everything outside the root. */
async function namesOutside(path: string): Promise<readonly string[]> {
  const names = await readdir(path, { recursive: true })
  return names.filter((name) => !name.startsWith('root/')).toSorted()
}

const ESCAPES = [
  '..',
  '../secret.txt',
  '../root-evil/secret.txt',
  'in/../../secret.txt',
  'in/folder/secret.txt',
  'in/folder',
  'file',
  'absolute/secret.txt',
  'absolute',
  '/etc/passwd',
  '/',
  '/proc/self/environ',
  'in/\0/../../../secret.txt',
  './././../secret.txt',
  'in//..//..//secret.txt',
]

describe('confinement of a path', () => {
  it.each(ESCAPES)('a path never leads out of the root: %j', async (path) => {
    const { call, project } = await openTrap()
    for (const [tool, args] of [
      ['filesystem.read', { path }],
      ['filesystem.list', { path }],
      ['filesystem.search', { path, query: 'lies' }],
      ['filesystem.write', { path, content: 'overwritten' }],
      ['shell.execute', { command: 'cat', args: ['secret.txt'], cwd: path }],
    ] as const) {
      const result = await call(tool, args)
      expect({ tool, ...result }).toMatchObject({
        tool,
        failure: { code: 'filesystem_denied', class: 'permission' },
      })
      expect(JSON.stringify(result)).not.toContain(SECRET)
    }
    expect(await project.read('secret.txt')).toBe(SECRET)
    expect(await project.read('outside/secret.txt')).toBe(SECRET)
  })

  it('a path may be absolute and go through links if it stays inside the root', async () => {
    const { call, project } = await openTrap()
    for (const path of [join(project.path, 'root/in/a.txt'), 'good', 'in/../good', './in//a.txt'])
      expect(resultText(await call('filesystem.read', { path }))).toBe('inside')
    await call('filesystem.write', { path: 'good', content: 'changed' })
    expect(await project.read('root/in/a.txt')).toBe('changed')
  })

  it('a path is reported as the root spells it, even if the root is a link', async () => {
    const { call, project } = await openRuntime({ 'real/a.txt': 'x' }, { root: 'named' })
    await symlink('real', join(project.path, 'named'))
    expect(resultText(await call('filesystem.read', { path: join(project.path, 'named/a.txt') }))).toBe('x')
  })

  it('a path that is a broken or endless link is never written through', async () => {
    const { call, project } = await openTrap()
    for (const path of ['dangling', 'loop', 'dangling/x']) {
      const result = await call('filesystem.write', { path, content: 'x' })
      expect(result.failure?.code).toMatch(/^filesystem_/u)
    }
    await expect(readFile(join(project.path, 'outside/new.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('a path of any shape reads nothing and changes nothing outside the root', async () => {
    const { call, project } = await openTrap()
    const before = await namesOutside(project.path)
    const segment = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'in',
        'folder',
        'file',
        'absolute',
        'dangling',
        'loop',
        'good',
        'a.txt',
        'secret.txt',
        'root-evil',
        'root',
        'outside',
        '\0',
        '\\',
        '..\\',
        '…',
        '%2e%2e',
        'A.TXT',
        'a.txt.',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    const paths = fc
      .tuple(
        fc.constantFrom('', '/', './', `${project.path}/`, `${project.path}/root/`),
        fc.array(segment, { maxLength: 8 }),
      )
      .map(([start, segments]) => start + segments.join('/'))
      .filter((path) => path !== '')
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const results = [
          await call('filesystem.read', { path }),
          await call('filesystem.search', { path, query: 'lies' }),
          await call('filesystem.write', { path, content: 'written', mode: 'append' }),
        ]
        expect(JSON.stringify(results)).not.toContain(SECRET)
      }),
      { numRuns: 200 },
    )
    for (const file of ['secret.txt', 'outside/secret.txt', 'root-evil/secret.txt'])
      expect(await project.read(file)).toBe(SECRET)
    expect(await namesOutside(project.path)).toEqual(before)
  }, 60_000)

  it('a path that is replaced by a link between check and use does not lead out of the root', async () => {
    const { call, project } = await openTrap()
    const real = join(project.path, 'root/swap')
    const aside = join(project.path, 'root/aside')
    await mkdir(real)
    await writeFile(join(real, 'secret.txt'), 'inside')
    const over = new AbortController()
    const swapping = (async () => {
      while (!over.signal.aborted) {
        // a concurrent write creates the folder again, so each step may find another one done
        await rename(real, aside).catch(ignored)
        await symlink('../outside', real).catch(ignored)
        await rm(real, { recursive: true, force: true })
        await rename(aside, real).catch(ignored)
      }
    })()
    const texts = new Set<string>()
    for (let round = 0; round < 600; round += 1) {
      const path = 'swap/secret.txt'
      texts.add(JSON.stringify(await call('filesystem.read', { path })))
      if (round % 5 === 0) await call('filesystem.write', { path: 'swap/new.txt', content: 'x' })
      if (round % 50 === 0)
        texts.add(JSON.stringify(await call('filesystem.search', { path: 'swap', query: 'lies' })))
    }
    over.abort()
    await swapping
    expect([...texts].filter((text) => text.includes(SECRET))).toEqual([])
    await expect(readFile(join(project.path, 'outside/new.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await project.read('outside/secret.txt')).toBe(SECRET)
  }, 60_000)
})

describe('protected files of a team', () => {
  const files = {
    'team/lead.md': 'card',
    'team/hooks/audit.ts': 'code',
    'team/notes/x.txt': 'note',
    'troupe.json': '{}',
    'src/app.ts': 'app',
    'src/troupe.env': 'KEY=secret',
    'my.env': 'OTHER=secret',
    '.git/config': 'git',
  }

  async function openTeam(root?: string): Promise<OpenRuntime> {
    const place = await tempProject(files)
    onTestFinished(() => place.remove())
    const at = (path: string): string => join(place.path, path)
    const open = await openRuntime({}, { team: { folders: [at('team'), at('')], secrets: [at('my.env')] } })
    await rm(open.project.path, { recursive: true })
    await symlink(join(place.path, root ?? ''), open.project.path)
    return open
  }

  it.each([
    'team/lead.md',
    'team/new.md',
    'team/hooks/audit.ts',
    'team/notes/x.txt',
    'TEAM/lead.md',
    'Team/Hooks/new.ts',
    'troupe.json',
    'TROUPE.JSON',
    'src/troupe.json',
    'src/Troupe.env ',
    'src/.ai-agent.json.',
    'src/opencode.json',
    'src/fast-agent.yaml',
    'src/fastagent.config.yaml',
    'src/fast-agent.secrets.yaml',
    'src/.claude/settings.json',
    'src/.claude/Settings.Local.json',
    'src/new.ai',
    'src/new.agent.md',
    'src/SKILL.md',
    'new-at-the-top.txt',
    'my.env',
    '.git/hooks/pre-commit',
    'src/node_modules/x/index.js',
    'link/lead.md',
    'config',
  ])(`the files of a team are never written: %s ${verifies('R18')}`, async (path) => {
    const { call, project } = await openTeam()
    await symlink('team', join(project.path, 'link'))
    await symlink('troupe.json', join(project.path, 'config'))
    const result = await call('filesystem.write', { path, content: 'changed' })
    expect(result).toMatchObject({ failure: { code: 'filesystem_denied', class: 'permission' } })
    expect(await project.read('team/lead.md')).toBe('card')
    expect(await project.read('troupe.json')).toBe('{}')
  })

  it('the files of a team do not protect adjacent folders and may be read', async () => {
    const { call, project } = await openTeam()
    expect((await call('filesystem.write', { path: 'src/app.ts', content: 'new' })).outcome).toBe('completed')
    expect(await project.read('src/app.ts')).toBe('new')
    expect(resultText(await call('filesystem.read', { path: 'team/lead.md' }))).toBe('card')
  })

  it('the files of a team are not written through a hard link either', async () => {
    const { call, project } = await openTeam()
    await link(join(project.path, 'team/lead.md'), join(project.path, 'src/alias.txt'))
    await call('filesystem.write', { path: 'src/alias.txt', content: 'changed' })
    expect(await project.read('team/lead.md')).toBe('card')
  })

  it('the files of a team leave a separate root below them writable', async () => {
    const { call } = await openTeam('src')
    expect((await call('filesystem.write', { path: 'top.txt', content: 'x' })).outcome).toBe('completed')
    expect((await call('filesystem.write', { path: 'troupe.json', content: 'x' })).failure?.code).toBe(
      'filesystem_denied',
    )
  })

  it('the files of a team that contain secrets are not read', async () => {
    const { call } = await openTeam()
    for (const path of ['src/troupe.env', 'my.env']) {
      const result = await call('filesystem.read', { path })
      expect(result).toMatchObject({ failure: { code: 'filesystem_denied' } })
    }
    expect(resultText(await call('filesystem.search', { query: 'secret' }))).not.toContain('KEY')
  })
})

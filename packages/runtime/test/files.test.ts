import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText, type JsonObject } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { openRuntime } from './support/open-runtime.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('filesystem.read', () => {
  it('filesystem.read returns a text unchanged but without its byte order mark', async () => {
    const { call } = await openRuntime({ 'a/b.txt': '\uFEFFüben\r\nzwei\n' })
    const result = await call('filesystem.read', { path: 'a/b.txt' })
    expect(resultText(result)).toBe('üben\nzwei')
    expect(result.structured).toEqual({ path: 'a/b.txt', bytes: 15, lines: 2, from: 1, to: 2 })
  })

  it('filesystem.read returns a long file in pages and says how to continue', async () => {
    const { call } = await openRuntime({ 'a.txt': 'one\ntwo\nthree\nfour' })
    const page = await call('filesystem.read', { path: 'a.txt', offset: 2, limit: 2, lineNumbers: true })
    expect(resultText(page)).toBe('2\ttwo\n3\tthree\n[Lines 2 to 3 of 4. Continue with offset 4.]')
    expect(resultText(await call('filesystem.read', { path: 'a.txt', offset: 9 }))).toBe(
      '[The file has only 4 lines; nothing to read from line 9 on.]',
    )
  })

  it('filesystem.read truncates pages and lines that are too long', async () => {
    const { call } = await openRuntime({ 'a.txt': `${'x'.repeat(30_000)}\n`.repeat(9) })
    const text = resultText(await call('filesystem.read', { path: 'a.txt' }))
    expect(text.length).toBeLessThan(61_000)
    expect(text).toContain('[Lines 1 to 2 of 9. Continue with offset 3. Long lines are truncated.]')
  })

  it('filesystem.read returns an image, detected by its bytes, and rejects other binary files', async () => {
    const { call, project } = await openRuntime()
    await writeFile(join(project.path, 'a.txt'), PNG)
    await writeFile(join(project.path, 'b.png'), Buffer.from([1, 2, 0, 255]))
    expect((await call('filesystem.read', { path: 'a.txt' })).content[1]).toEqual({
      type: 'data',
      mediaType: 'image/png',
      base64: PNG.toString('base64'),
    })
    expect(await call('filesystem.read', { path: 'b.png' })).toMatchObject({
      failure: { code: 'filesystem_failed', class: 'tool' },
    })
  })

  it('filesystem.read fails for a folder, a pipe and a missing file, and says what to do', async () => {
    const { call, project } = await openRuntime({ 'a/b.txt': 'x' })
    const folder = await call('filesystem.read', { path: 'a' })
    expect(folder.failure).toMatchObject({
      code: 'filesystem_failed',
      message: '"a" is a folder.',
      remediation: 'List it with filesystem_list.',
    })
    expect((await call('shell.execute', { command: 'mkfifo', args: ['pipe'] })).outcome).toBe('completed')
    expect((await call('filesystem.read', { path: 'pipe' })).failure?.message).toBe(
      '"pipe" is not a regular file.',
    )
    const gone = await call('filesystem.read', { path: 'a/none.txt' })
    expect(gone.failure).toMatchObject({
      message: '"a/none.txt" does not exist in the root folder of the file tools.',
      remediation:
        'The root folder is the working folder, unless `--root` or `runtime.root` names another one.',
    })
    expect(JSON.stringify(gone)).not.toContain(project.path)
  })

  it('filesystem.read finds a root that is created later, and fails with a reason before', async () => {
    const { call, project } = await openRuntime({}, { root: 'later' })
    expect((await call('filesystem.list', {})).failure?.code).toBe('filesystem_failed')
    await mkdir(join(project.path, 'later'))
    expect(resultText(await call('filesystem.list', {}))).toBe('[The folder is empty.]')
  })
})

describe('filesystem.write', () => {
  it('filesystem.write creates missing folders and says whether the file is new', async () => {
    const { call, project } = await openRuntime()
    const first = await call('filesystem.write', { path: 'x/y/z.txt', content: 'eins' })
    expect(resultText(first)).toBe('Created x/y/z.txt, 4 bytes.')
    const second = await call('filesystem.write', { path: 'x/y/z.txt', content: 'zwei!' })
    expect(second.structured).toEqual({ path: 'x/y/z.txt', bytes: 5, created: false })
    expect(await project.read('x/y/z.txt')).toBe('zwei!')
    expect(await readdir(join(project.path, 'x/y'))).toEqual(['z.txt'])
  })

  it('filesystem.write keeps the permissions of a file that it replaces', async () => {
    const { call, project } = await openRuntime({ 'run.sh': 'old' })
    await chmod(join(project.path, 'run.sh'), 0o751)
    await call('filesystem.write', { path: 'run.sh', content: 'new' })
    expect((await stat(join(project.path, 'run.sh'))).mode & 0o777).toBe(0o751)
  })

  it('filesystem.write appends, and creates only files that do not exist', async () => {
    const { call, project } = await openRuntime({ 'a.txt': 'one\n' })
    await call('filesystem.write', { path: 'a.txt', content: 'two\n', mode: 'append' })
    await call('filesystem.write', { path: 'b.txt', content: 'b', mode: 'append' })
    expect([await project.read('a.txt'), await project.read('b.txt')]).toEqual(['one\ntwo\n', 'b'])
    const taken = await call('filesystem.write', { path: 'a.txt', content: '', mode: 'create' })
    expect(taken.failure).toMatchObject({ code: 'filesystem_failed', message: '"a.txt" already exists.' })
    expect(await project.read('a.txt')).toBe('one\ntwo\n')
    expect((await call('filesystem.write', { path: 'c.txt', content: 'c', mode: 'create' })).outcome).toBe(
      'completed',
    )
  })

  it('filesystem.write replaces exact pieces, all or none', async () => {
    const { call, project } = await openRuntime({ 'a.ts': 'let a = 1\nlet b = 1\n' })
    const path = 'a.ts'
    const good = await call('filesystem.write', {
      path,
      edits: [
        { find: 'a = 1', replace: 'a = $& 2' },
        { find: 'b', replace: 'c' },
      ],
    })
    expect(good.outcome).toBe('completed')
    expect(await project.read(path)).toBe('let a = $& 2\nlet c = 1\n')
    for (const find of ['let', 'nowhere']) {
      const bad = await call('filesystem.write', {
        path,
        edits: [
          { find: '2', replace: '3' },
          { find, replace: '' },
        ],
      })
      expect(bad.failure?.code).toBe('tool_bad_arguments')
    }
    expect(await project.read(path)).toContain('$& 2')
  })

  it('filesystem.write loses neither of two changes in one turn', async () => {
    const { call, project } = await openRuntime({ 'a.txt': '' })
    const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`)
    await Promise.all(
      lines.map((content) => call('filesystem.write', { path: 'a.txt', content, mode: 'append' })),
    )
    expect(await project.read('a.txt')).toBe(lines.join(''))
  })

  it('filesystem.write accepts either content or edits, and rejects folders and broken links', async () => {
    const { call, project } = await openRuntime({ 'a/b': 'x' })
    await symlink('nowhere', join(project.path, 'dead'))
    expect((await call('filesystem.write', { path: 'c' })).failure?.code).toBe('tool_bad_arguments')
    for (const path of ['a', 'dead', 'a/b/c', '.'])
      expect((await call('filesystem.write', { path, content: 'x' })).failure?.code).toMatch(/^filesystem_/u)
  })
})

describe('filesystem.list', () => {
  const files = { 'a/b/c.txt': '', 'a/d.txt': '', 'node_modules/x/y.js': '', 'z.txt': '' }

  it('filesystem.list descends to the requested depth, but not into folders of tools or through links', async () => {
    const { call, project } = await openRuntime(files)
    await symlink('..', join(project.path, 'a/up'))
    expect(resultText(await call('filesystem.list', {}))).toBe('a/\nnode_modules/\nz.txt')
    expect(resultText(await call('filesystem.list', { depth: 5 })).split('\n')).toEqual([
      'a/',
      'a/b/',
      'a/b/c.txt',
      'a/d.txt',
      'a/up (link)',
      'node_modules/',
      'z.txt',
    ])
    expect(resultText(await call('filesystem.list', { path: 'a/b' }))).toBe('a/b/c.txt')
  })

  it('filesystem.list stops at the limit and says so', async () => {
    const { call } = await openRuntime(files)
    const result = await call('filesystem.list', { limit: 2 })
    expect(resultText(result)).toBe(
      'a/\nnode_modules/\n[Only the first 2 entries are shown. List a subfolder to see more.]',
    )
    expect(result.structured).toEqual({ path: '.', isWhole: false })
  })

  it('filesystem.list fails for a file', async () => {
    const { call } = await openRuntime(files)
    expect((await call('filesystem.list', { path: 'z.txt' })).failure?.code).toBe('filesystem_failed')
  })
})

describe('filesystem.search', () => {
  const files = {
    'src/a.ts': 'const one = 1\nconst TWO = 2\n',
    'src/deep/b.ts': 'let one = 3',
    'src/c.md': 'one (1)',
    'node_modules/d.ts': 'one',
  }
  const lines = async (args: JsonObject): Promise<readonly string[]> => {
    const { call } = await openRuntime(files)
    return resultText(await call('filesystem.search', args)).split('\n')
  }

  it('filesystem.search finds plain text with its location', async () => {
    expect(await lines({ query: 'one' })).toEqual([
      'src/a.ts:1: const one = 1',
      'src/c.md:1: one (1)',
      'src/deep/b.ts:1: let one = 3',
    ])
    expect(await lines({ query: 'one (' })).toEqual(['src/c.md:1: one (1)'])
    expect(await lines({ query: 'two', ignoreCase: true })).toEqual(['src/a.ts:2: const TWO = 2'])
    expect(await lines({ query: 'none' })).toEqual(['[No matches found.]'])
  })

  it('filesystem.search accepts expressions, globs, a folder or a file', async () => {
    expect(await lines({ query: '^(const|let) \\w+ = [12]$', regex: true })).toHaveLength(2)
    expect(await lines({ query: 'ONE', regex: true, ignoreCase: true, glob: '*.md' })).toEqual([
      'src/c.md:1: one (1)',
    ])
    expect(await lines({ query: 'one', glob: 'src/*.{ts,md}' })).toHaveLength(2)
    expect(await lines({ query: 'one', glob: '**/*.ts' })).toHaveLength(2)
    expect(await lines({ query: 'one', path: 'src/deep' })).toEqual(['src/deep/b.ts:1: let one = 3'])
    expect(await lines({ query: 'one', path: 'src/c.md' })).toEqual(['src/c.md:1: one (1)'])
  })

  it('filesystem.search stops at the limit and counts the files it could not search', async () => {
    const { call, project } = await openRuntime(files)
    await writeFile(join(project.path, 'b.bin'), Buffer.from([0, 1]))
    const result = await call('filesystem.search', { query: 'one', limit: 1 })
    expect(resultText(result).split('\n')).toEqual([
      'src/a.ts:1: const one = 1',
      '[More matches exist. Narrow the query, the path or the glob.]',
      '[1 files were not searched: not text, too large, or not readable.]',
    ])
  })

  it('filesystem.search runs expressions in linear time and rejects unsupported ones', async () => {
    const { call } = await openRuntime({ 'a.txt': `${'a'.repeat(5000)}!` })
    expect(resultText(await call('filesystem.search', { query: '^(a+)+$', regex: true }))).toBe(
      '[No matches found.]',
    )
    for (const query of ['(?=x)', '(a)\\1', '(', 'a{1000}{1000}'])
      expect((await call('filesystem.search', { query, regex: true })).failure?.code).toBe(
        'tool_bad_arguments',
      )
    expect((await call('filesystem.search', { query: 'a', glob: '{a' })).failure?.code).toBe(
      'tool_bad_arguments',
    )
  })

  it('filesystem.search ends when its run is cancelled', async () => {
    const { call } = await openRuntime(files)
    const result = await call('filesystem.search', { query: 'one' }, { signal: AbortSignal.abort() })
    expect(result.outcome).not.toBe('completed')
  })
})

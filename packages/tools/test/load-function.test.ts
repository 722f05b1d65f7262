import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempProject, verifies, type TempProject } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { loadFunction } from '../src/index.ts'

const projects: TempProject[] = []

async function projectOf(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const project = await tempProject(files)
  projects.push(project)
  return project
}

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

function failureOf(code: string, ...facts: readonly string[]): unknown {
  return expect.objectContaining({
    code,
    message: expect.toSatisfy((message: string) => facts.every((fact) => message.includes(fact))),
    failure: expect.objectContaining({ class: 'config', remediation: expect.stringMatching(/\w/u) }),
  })
}

describe('loading of a module', () => {
  it(`a module in TypeScript or JavaScript is loaded relative to the folder, without a build ${verifies('B7', 'B16', 'B22', 'B23')}`, async () => {
    const { path } = await projectOf({
      'a.ts': 'interface X { n: number }\nexport const add = (x: X): number => x.n + 1',
      'lib/b.mts': 'export function twice(n: number) { return n * 2 }',
      'c.js': 'export default function three() { return 3 }',
      'd.mjs': 'export const four = () => 4',
    })
    const load = (spec: string) => loadFunction(spec, { folder: path })
    expect(await load('a.ts:add')).toEqual({
      value: expect.any(Function),
      file: join(path, 'a.ts'),
      root: path,
      url: pathToFileURL(join(path, 'a.ts')).href,
      name: 'add',
    })
    expect((await load('./lib/b.mts:twice')).file).toBe(join(path, 'lib/b.mts'))
    expect((await load('c.js:default')).name).toBe('default')
    expect((await load(`${path}/d.mjs:four`)).value).toEqual(expect.any(Function))
  })

  it('a module is loaded by Node itself, unchanged', async () => {
    const { path } = await projectOf({ 'a.ts': 'export const add = (n: number): number => n + 1' })
    const door = fileURLToPath(new URL('../src/index.ts', import.meta.url))
    const program = `import { loadFunction } from ${JSON.stringify(door)}
      const { value } = await loadFunction('a.py:add', { folder: ${JSON.stringify(path)} })
      console.log(value(41))`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=@troupe/source',
      '--input-type=module',
      '--eval',
      program,
    ])
    expect(stdout.trim()).toBe('42')
  })

  it(`a module named .py resolves to the .ts, .mts, .js or .mjs file with the same name, in that order ${verifies('B22')}`, async () => {
    const files = ['.ts', '.mts', '.js', '.mjs']
    for (const [index] of files.entries()) {
      const present = files.slice(index)
      const { path } = await projectOf(
        Object.fromEntries([
          ['lib/tools.py', 'def add(): pass'],
          ...present.map((extension) => [`lib/tools${extension}`, 'export const add = () => 1']),
        ]),
      )
      const { file } = await loadFunction('lib/tools.py:add', { folder: path })
      expect(file).toBe(join(path, `lib/tools${present[0]}`))
    }
  })

  it(`a missing module is reported with the searched files and the folder ${verifies('B24')}`, async () => {
    const { path } = await projectOf({})
    await mkdir(join(path, 'folder.ts'))
    const load = (spec: string, folder = path) => loadFunction(spec, { folder })
    await expect(load('tools.py:add')).rejects.toEqual(
      failureOf(
        'function_not_found',
        '"tools.py:add"',
        'tools.ts, tools.mts, tools.js, tools.mjs, tools.py',
        path,
      ),
    )
    await expect(load('gone/x.ts:f')).rejects.toEqual(
      failureOf('function_not_found', 'gone/x.ts is not in', path),
    )
    await expect(load('folder.ts:f')).rejects.toEqual(failureOf('function_not_found', 'folder.ts'))
    await expect(load('x.ts:f', join(path, 'none'))).rejects.toEqual(
      failureOf('function_not_found', 'does not exist', join(path, 'none')),
    )
  })

  it.each(['data.json:f', 'node:fs:readFile', 'fs:readFile', 'https://example.com/a:f', 'tools.sh:f'])(
    'a file that is not a module is rejected: %s',
    async (spec) => {
      const { path } = await projectOf({})
      await expect(loadFunction(spec, { folder: path })).rejects.toEqual(failureOf('function_bad_spec', spec))
    },
  )

  it(`a module that throws or cannot be parsed keeps its error as cause ${verifies('B24')}`, async () => {
    const { path } = await projectOf({
      'throws.ts': 'throw new RangeError("no config"); export const f = 1',
      'syntax.mjs': 'export const f = (',
      'missing.mjs': 'import "./none.mjs"; export const f = 1',
    })
    for (const file of ['throws.ts', 'syntax.mjs', 'missing.mjs']) {
      await expect(loadFunction(`${file}:f`, { folder: path })).rejects.toEqual(
        expect.objectContaining({
          code: 'function_load_failed',
          message: expect.stringContaining(join(path, file)),
          cause: expect.any(Error),
        }),
      )
    }
    await expect(loadFunction('throws.ts:f', { folder: path })).rejects.toThrow('no config')
  })

  it('a module is imported by the given importer under its real path', async () => {
    const { path } = await projectOf({ 'real/a.ts': '' })
    await symlink(join(path, 'real'), join(path, 'link'))
    const urls: string[] = []
    const found = await loadFunction('link/a.ts:f', {
      folder: path,
      importModule: async (url) => {
        urls.push(url)
        return { f: 7 }
      },
    })
    const url = pathToFileURL(join(path, 'real/a.ts')).href
    expect(found).toEqual({ value: 7, file: join(path, 'real/a.ts'), root: path, url, name: 'f' })
    expect(urls).toEqual([url])
  })
})

describe('an export of a module', () => {
  it(`a missing export is reported with the existing exports and the nearest name ${verifies('B24')}`, async () => {
    const { path } = await projectOf({ 'a.ts': 'export const add = 1\nexport const sub = 2' })
    const options = { folder: path, suggest: () => 'add' }
    await expect(loadFunction('a.ts:ad', { folder: path })).rejects.toEqual(
      failureOf('function_not_found', '"a.ts:ad"', join(path, 'a.ts'), 'add, sub'),
    )
    await expect(loadFunction('a.ts:ad', options)).rejects.toMatchObject({
      failure: { remediation: 'Did you mean add?' },
    })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then'])(
    'an export is looked up among own properties only: %s does not exist',
    async (name) => {
      const { path } = await projectOf({ 'a.ts': 'export const add = 1' })
      const load = loadFunction(`a.ts:${name}`, { folder: path, importModule: async () => ({ add: 1 }) })
      await expect(load).rejects.toMatchObject({ code: 'function_not_found' })
    },
  )
})

describe('the folder of the card', () => {
  const evil = 'globalThis.escaped = true; export const f = () => 1'

  it('the folder of the card cannot be left by a relative or absolute path, even if no file exists there', async () => {
    const { path } = await projectOf({ 'card/a.ts': '', 'evil.ts': evil, 'card-evil/evil.ts': evil })
    const folder = join(path, 'card')
    for (const spec of [
      '../evil.ts:f',
      '../card-evil/evil.ts:f',
      './x/../../evil.ts:f',
      `${path}/evil.ts:f`,
      '../none.ts:f',
      '../evil.py:f',
    ]) {
      await expect(loadFunction(spec, { folder })).rejects.toEqual(
        failureOf('function_bad_spec', spec, folder),
      )
    }
    expect(globalThis).not.toHaveProperty('escaped')
  })

  it('the folder of the card cannot be left by a link to a file or a folder', async () => {
    const { path } = await projectOf({ 'card/a.ts': '', 'out/evil.ts': evil })
    const folder = join(path, 'card')
    await symlink(join(path, 'out/evil.ts'), join(folder, 'file.ts'))
    await symlink(join(path, 'out'), join(folder, 'dir'))
    for (const spec of ['file.ts:f', 'dir/evil.ts:f', 'file.py:f']) {
      await expect(loadFunction(spec, { folder })).rejects.toEqual(
        failureOf('function_bad_spec', spec, 'outside'),
      )
    }
    expect(globalThis).not.toHaveProperty('escaped')
  })

  it('the folder of the card can be extended by code roots, which links cannot leave either', async () => {
    const { path } = await projectOf({
      'card/a.md': '',
      'src/tools.ts': 'export const f = 1',
      'out/evil.ts': evil,
    })
    await symlink(join(path, 'out/evil.ts'), join(path, 'src/link.ts'))
    const options = { folder: join(path, 'card'), codeRoots: [join(path, 'src')] }
    expect((await loadFunction('../src/tools.ts:f', options)).file).toBe(join(path, 'src/tools.ts'))
    for (const spec of ['../src/link.ts:f', '../out/evil.ts:f'])
      await expect(loadFunction(spec, options)).rejects.toEqual(failureOf('function_bad_spec', 'codeRoots'))
    expect(globalThis).not.toHaveProperty('escaped')
  })

  it('the folder of the card may be reached through a link and contain links that stay inside', async () => {
    const { path } = await projectOf({ 'card/lib/a.ts': 'export const f = 1' })
    await symlink(join(path, 'card'), join(path, 'alias'))
    await symlink(join(path, 'card/lib'), join(path, 'card/inner'))
    const { file } = await loadFunction('inner/a.ts:f', { folder: join(path, 'alias') })
    expect(file).toBe(join(path, 'card/lib/a.ts'))
  })

  it('the folder of the card with a loop of links produces an error that says so', async () => {
    const { path } = await projectOf({})
    await symlink(join(path, 'b.ts'), join(path, 'a.ts'))
    await symlink(join(path, 'a.ts'), join(path, 'b.ts'))
    await expect(loadFunction('a.ts:f', { folder: path })).rejects.toEqual(
      failureOf('function_load_failed', join(path, 'a.ts'), 'ELOOP'),
    )
  })
})

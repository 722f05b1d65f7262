import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportedNames, relativeDocComments, repeatedTypes, sizes } from '../structure/declared-names.ts'
import { folderImports, foldersInCycles } from '../structure/folder-imports.ts'
import { folderOrderProblems } from '../structure/folder-order.ts'
import { glossaryViolations } from '../structure/glossary.ts'
import { proseViolations } from '../structure/prose.ts'
import { readSourceFiles, readTestAndToolFiles } from '../structure/source-files.ts'

const file = (name: string, ...lines: readonly string[]) => ({
  path: `packages/core/src/${name}`,
  text: lines.map((line) => `${line}\n`).join(''),
})

describe('imports between folders of a package', () => {
  const files = [
    file('index.ts', "export { run } from './loop/run.ts'"),
    file('loop/run.ts', "import { call } from '../tools/call.ts'", "import { wait } from './wait.ts'"),
    file('loop/wait.ts', "const late = await import('../time/clock.ts')"),
    file('tools/call.ts', 'import type {', '  Run,', "} from '../loop/run.ts'"),
    file('time/clock.ts', "import { join } from 'node:path'"),
  ]
  const imports = folderImports(files).get('packages/core') ?? []

  it('folderImports finds imports of every form, including type imports and those of several lines', () => {
    expect(imports.map(({ from, to }) => `${from} to ${to}`)).toEqual([
      '. to loop',
      'loop to tools',
      'loop to time',
      'tools to loop',
    ])
  })

  it('foldersInCycles returns the folders that reach themselves', () => {
    expect(foldersInCycles(imports)).toEqual(['loop', 'tools'])
  })
})

describe('declared names', () => {
  it('repeatedTypes reports types with every file that declares them', () => {
    const files = [
      file('a.ts', 'export interface Run {}', 'type Local = 1'),
      file('b.ts', 'export type Run = 1', '// type Local = 2'),
    ]
    expect([...repeatedTypes(files)]).toEqual([['Run', ['packages/core/src/a.ts', 'packages/core/src/b.ts']]])
  })

  it('exportedNames lists values and types under the names that they are exported as', () => {
    const text = "export { a, type B, c as d } from './a.ts'\nexport type {\n  E,\n} from './e.ts'\n"
    expect(exportedNames({ text })).toEqual(['a', 'B', 'd', 'E'])
  })

  it('relativeDocComments finds doc comments that begin with a relative word, and no others', () => {
    const files = [
      file(
        'a.ts',
        '/** What it is. */',
        '/**',
        ' * Of a run. */',
        '/** Whatever. */',
        '// What',
        '/** Returns what it is. */',
      ),
    ]
    expect(relativeDocComments(files)).toHaveLength(2)
  })

  it('sizes counts the files and lines of each package', () => {
    const files = [file('a.ts', '1', '2'), { path: 'apps/cli/src/b.ts', text: 'x\n' }]
    expect([...sizes(files)]).toEqual([
      ['packages/core', { files: 1, lines: 2 }],
      ['apps/cli', { files: 1, lines: 1 }],
    ])
  })
})

describe('the glossary', () => {
  it('glossaryViolations finds banned words in identifiers, file names and folders, in any spelling', () => {
    const files = [
      file('desk/run-view.ts', 'const openPot = 1'),
      file('a.ts', 'class RUN_DESK {}', "import { depot } from './spot.ts'"),
    ]
    expect(glossaryViolations(files).map(({ path, identifier }) => [path, identifier])).toEqual([
      ['packages/core/src/desk/run-view.ts', 'desk'],
      ['packages/core/src/desk/run-view.ts', 'openPot'],
      ['packages/core/src/a.ts', 'RUN_DESK'],
    ])
  })

  it('glossaryViolations ignores the text between JSX tags', () => {
    const page = 'const shelf = <p>\n  Asked by {agent}, who was told so.\n</p>'
    expect(glossaryViolations([file('page.tsx', page)]).map(({ identifier }) => identifier)).toEqual([
      'shelf',
    ])
  })

  it('glossaryViolations ignores names of stored files in the folder that reads and writes them', () => {
    const text = 'const entry = { asked: 1, begun: 2 }'
    const files = [{ path: 'packages/cassette/src/a.ts', text }]
    expect(glossaryViolations(files).map(({ identifier }) => identifier)).toEqual(['begun'])
  })

  it('glossaryViolations ignores comments and texts', () => {
    expect(glossaryViolations([file('a.ts', '/* a desk */ const x = `room ${1}` // pot', "'desk'")])).toEqual(
      [],
    )
  })
})

describe('words in comments and texts', () => {
  it('proseViolations finds them in comments, messages and test titles, with their line', () => {
    const text = "/** Returns it. */\n// nobody reads it\nit('the run goes on', () => told('desk'))\n"
    expect(proseViolations([{ path: 'packages/core/test/a.test.ts', text }])).toMatchObject([
      { path: 'packages/core/test/a.test.ts', line: 2, found: 'nobody' },
      { path: 'packages/core/test/a.test.ts', line: 3, found: 'goes on' },
    ])
  })

  it.each([
    ['a card that is no file', ['is no file']],
    ['keys that are no texts', ['are no texts']],
    ['there is no file x', []],
  ])('proseViolations finds "is no" in place of "is not a": %s', (title, found) => {
    const violations = proseViolations([file('a.ts', `const title = '${title}'`)])
    expect(violations.map((violation) => violation.found)).toEqual(found)
  })

  it('proseViolations accepts a word only in the files that need it', () => {
    const text = '// Opens the desk.\n'
    const paths = [
      'examples/tool-hooks-declarative/a.ts',
      'tools/tooling/structure/a.ts',
      'tools/scripts/a.ts',
    ]
    expect(proseViolations(paths.map((path) => ({ path, text }))).map(({ path }) => path)).toEqual([
      'tools/scripts/a.ts',
    ])
  })

  it('readTestAndToolFiles reads tests, examples and tools, and neither source nor dependencies', () => {
    const root = path.join(import.meta.dirname, '../../..')
    const paths = readTestAndToolFiles(root).map((each) => each.path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'apps/cli/test/program.test.ts',
        'examples/embed/run.ts',
        'packages/core/test/team.ts',
        'tools/scripts/check-structure.ts',
        'tools/tooling/test/structure.test.ts',
      ]),
    )
    expect(
      paths.filter((each) => /node_modules|\/dist\/|\.d\.ts$|^packages\/[^/]+\/src/u.test(each)),
    ).toEqual([])
    expect(paths).not.toContain(readSourceFiles(root)[0]?.path)
  })
})

describe('the order of folders', () => {
  const files = [
    file('index.ts', "export { run } from './loop/run.ts'"),
    file('loop/run.ts', "import { call } from '../tools/call.ts'"),
    file('tools/call.ts', "import type { Run } from '../loop/run.ts'"),
  ]

  it('folderOrderProblems reports imports of a higher folder, including type imports', () => {
    expect(folderOrderProblems(files, () => ['loop', 'tools'])).toEqual([
      'packages/core/src/tools/call.ts: tools imports loop, which is above it in packages/core/folders.json',
    ])
  })

  it('folderOrderProblems reports folders that are not listed and listed folders that do not exist', () => {
    expect(folderOrderProblems(files.slice(0, 2), () => ['loop', 'time'])).toEqual([
      'packages/core/folders.json lists time, which does not exist',
      'packages/core/src/loop/run.ts: loop imports tools, which is above it in packages/core/folders.json',
    ])
  })

  it('folderOrderProblems ignores a package without an order', () => {
    expect(folderOrderProblems(files, () => undefined)).toEqual([])
  })
})

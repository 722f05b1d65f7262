import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempProject } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'

const ENTRY = fileURLToPath(new URL('../src/index.ts', import.meta.url))

const FILES = {
  'module.ts': "import { add } from './lib/add.js'\nexport const f = (n: number): number => add(n)\n",
  'lib/add.js': 'export const add = (n) => n + 1\n',
  'module.js': "import { add } from './lib/add.js'\nexport const f = (n) => add(n)\n",
  'late.ts': "export const f = async (n: number): Promise<number> => (await import('./module.js')).f(n)\n",
  'common.js':
    "// the text `export` alone does not make a module\nexports.f = (n) => n + require('./two.js')\n",
  'two.js': 'module.exports = 2\n',
}

/** Calls `f(1)` of each module in a Node process of its own, and returns the values and the text on stderr. */
async function callAll(packageJson: object): Promise<{ readonly values: unknown; readonly stderr: string }> {
  const project = await tempProject({ ...FILES, 'package.json': JSON.stringify(packageJson) })
  onTestFinished(() => project.remove())
  const program = `import { loadFunction } from ${JSON.stringify(ENTRY)}
    const values = {}
    for (const name of ['module.ts', 'module.js', 'late.ts', 'common.js']) {
      const { value } = await loadFunction(name + ':f', { folder: ${JSON.stringify(project.path)} })
      values[name] = await value(1)
    }
    console.log(JSON.stringify(values))`
  const args = ['--conditions=@troupe/source', '--input-type=module', '--eval', program]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  return { values: JSON.parse(stdout), stderr }
}

const WANTED = { 'module.ts': 2, 'module.js': 2, 'late.ts': 2, 'common.js': 3 }

it.each([{ type: 'commonjs' }, {}])(
  'functions load without a warning from modules and CommonJS files of a package with %o',
  async (packageJson) => {
    expect(await callAll(packageJson)).toEqual({ values: WANTED, stderr: '' })
  },
)

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { library } from '@troupe/tooling/tsup'
import { thirdPartyNotices } from './third-party-notices.ts'

const FOLDER = import.meta.dirname

/** Everything is in the bundle, workspace packages from their sources, so that the package needs nothing installed beside it. Lazy imports stay files of their own. */
export default library({
  entry: {
    bin: 'src/bin.ts',
    'function-worker': 'src/function-worker.ts',
    'provided/schema': 'src/provided/schema.ts',
    'provided/hooks': 'src/provided/hooks.ts',
    'provided/zod': 'src/provided/zod.ts',
  },
  minify: true,
  sourcemap: false,
  noExternal: [/./],
  metafile: true,
  // CommonJS inside the bundle asks for Node's modules by `require`
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  esbuildOptions(options) {
    options.conditions = ['@troupe/source', 'module', 'import', 'node']
    options.legalComments = 'none'
  },
  onSuccess: () => {
    const list = join(FOLDER, 'dist', 'metafile-esm.json')
    const { inputs } = JSON.parse(readFileSync(list, 'utf8')) as {
      readonly inputs: Readonly<Record<string, unknown>>
    }
    writeFileSync(
      join(FOLDER, 'dist', 'THIRD-PARTY-NOTICES.txt'),
      thirdPartyNotices(Object.keys(inputs), FOLDER),
    )
    rmSync(list)
    return Promise.resolve()
  },
})

// A process of its own, as test runners load modules in their own way: says what a function says after each edit of a module that it imports.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from '../../src/index.ts'

const cwd = await mkdtemp(join(tmpdir(), 'troupe-reload-'))
await mkdir(join(cwd, 'lib'))
const write = (file, text) => writeFile(join(cwd, file), text)
await write('a.md', '---\nname: A\nmodel: passthrough\nfunctionTools: ["code.ts:say"]\n---\nx\n')
await write('code.ts', `import { word } from './lib/words.ts'\nexport const say = () => word\n`)
await write('lib/words.ts', `import { text } from './text.ts'\nexport const word: string = text\n`)
const said = []
let host
for (const word of ['one', 'two', 'three', 'one']) {
  await write('lib/text.ts', `export const text = '${word}'\n`)
  host ??= await createHost({ cards: ['.'], cwd, home: cwd })
  const { outcome } = await host.reload()
  const result = await host.callTool('A', 'say', {})
  said.push([outcome, result.content[0].text])
}
await host.close()
await rm(cwd, { recursive: true })
process.stdout.write(JSON.stringify(said))

import { expect, it } from 'vitest'
import { startProgram } from './start-program.ts'
import { oneAgent, project } from './team.ts'

it('control characters are removed from the console.log output of a card function', async () => {
  const hostile = String.raw`one\u001B]0;title\u0007 \u001B[31mtwo\u001B[0m \u009B2J three\u202E four\r\nfive\tsix`
  const folder = await project(
    oneAgent(`- call: [{tool: print, args: {text: "${hostile}"}}]\n- say: done`, {
      fields: 'functionTools: [tools.mjs:print]',
      files: {
        'tools.mjs':
          "export function print({ text }) {\n  console.log(text)\n  return 'printed'\n}\nprint.description = 'Prints.'\n",
      },
    }),
  )
  const program = startProgram(['run', 'one.md', 'hello'], folder.path)
  expect(await program.ends()).toEqual([0, null])
  expect(program.err()).toContain('one two  three four\nfive\tsix\n')
  // oxlint-disable-next-line no-control-regex -- the test looks for control characters
  expect(program.err()).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/u)
})

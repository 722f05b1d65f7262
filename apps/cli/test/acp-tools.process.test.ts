import { execFile } from 'node:child_process'
import { methods, type ClientApp } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { saidIn, startEditor } from './editor.ts'
import { oneAgent } from './team.ts'

const EDITS = oneAgent(
  [
    '- call: [{tool: read_text_file, args: {path: notes.txt}}]',
    "- call: [{tool: write_text_file, args: {path: notes.txt, content: '{{results.0.text}}, and new'}}]",
    "- call: [{tool: run_command, args: {command: node, args: ['-p', 'process.cwd()']}}]",
    "- say: '{{results.0.text}}'",
  ].join('\n'),
  { fields: 'permissions: { allow: [client__*] }', files: { 'src/notes.txt': 'saved' } },
)

/** An editor with one unsaved file, whose terminals run real programs. */
function editorApp(buffers: Map<string, string>) {
  return (app: ClientApp): ClientApp => {
    const terminals = new Map<string, Promise<{ readonly exitCode: number; readonly output: string }>>()
    const ended = async (terminalId: string) =>
      (await terminals.get(terminalId)) ?? { exitCode: 1, output: '' }
    return app
      .onRequest(methods.client.fs.readTextFile, ({ params }) => ({
        content: buffers.get(params.path) ?? '',
      }))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        buffers.set(params.path, params.content)
        return {}
      })
      .onRequest(methods.client.terminal.create, ({ params: { command, args = [], cwd } }) => {
        const terminalId = `t${terminals.size}`
        const end = new Promise<{ readonly exitCode: number; readonly output: string }>((resolve) => {
          execFile(command, args, { cwd: cwd ?? '/' }, (error, output) =>
            resolve({ exitCode: error === null ? 0 : 1, output }),
          )
        })
        terminals.set(terminalId, end)
        return { terminalId }
      })
      .onRequest(methods.client.terminal.waitForExit, async ({ params }) => {
        const { exitCode } = await ended(params.terminalId)
        return { exitCode }
      })
      .onRequest(methods.client.terminal.output, async ({ params }) => {
        const { output } = await ended(params.terminalId)
        return { output, truncated: false }
      })
      .onRequest(methods.client.terminal.release, () => ({}))
  }
}

it('troupe acp edits unsaved files of the editor and runs programs in its terminals', async () => {
  const buffers = new Map<string, string>()
  const { cwd, open, prompt, updates, asked } = await startEditor(EDITS, 'one.md', {
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    extend: editorApp(buffers),
  })
  const folder = `${cwd}/src`
  buffers.set(`${folder}/notes.txt`, 'unsaved')
  expect(await prompt(await open({ cwd: folder }), 'Go')).toMatchObject({ stopReason: 'end_turn' })
  expect(buffers.get(`${folder}/notes.txt`)).toBe('unsaved, and new')
  expect(saidIn(updates)).toContain(`exit code 0\n${folder}`)
  expect(asked).toEqual([])
})

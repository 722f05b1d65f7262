import { describe, expect, it } from 'vitest'
import { CODING_CLIENTS, missingNote, runCodingClient } from './coding-clients/coding-client.ts'
import { serveFolder } from './serve-folder.ts'
import { project } from './team.ts'

const CODER = `---
name: coder
description: Codes.
model: script/coder.script.yaml
---
Work on the task.
`
const NAMER = `---
name: namer
description: Names conversations.
model: passthrough
---
`

describe('a coding client from npm', () => {
  for (const client of CODING_CLIENTS) {
    const note = missingNote(client)
    it.runIf(note === '')(
      `${client.name} makes two files at once and edits one, with an agent as its model${note}`,
      { timeout: 180_000 },
      async () => {
        const home = await project({ 'work/.keep': '' })
        const work = `${home.path}/work`
        const steps = client.calls(work).map((call) => ({ call }))
        const script = { agents: { coder: [...steps, { say: 'All done.' }] } }
        const team = await project({
          'coder.md': CODER,
          'namer.md': NAMER,
          'coder.script.yaml': JSON.stringify(script),
          'troupe.json': '{ "server": { "limits": { "maxBodyBytes": 16777216 } } }',
        })
        const { url } = await serveFolder(team.path, '.', '--store', 'runs.db')
        for (const [file, text] of Object.entries(client.files?.(url) ?? {})) await home.write(file, text)
        const output = await runCodingClient(client, { url, home: home.path, work })
        expect(output).toContain('All done.')
        expect(await home.read('work/a.txt')).toBe('three')
        expect(await home.read('work/b.txt')).toBe('two')
        // all requests of the task belong to one run
        const { runs } = (await (await fetch(`${url}/api/runs?agent=coder`)).json()) as {
          readonly runs: readonly { readonly state: string }[]
        }
        expect(runs).toMatchObject([{ state: 'completed' }])
      },
    )
  }
})

import { createHost } from '@troupe/host'
import { fakeClock, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLiveReporter } from '../src/reporter/live-reporter.ts'
import { createPlainReporter, type Reporter } from '../src/reporter/reporter.ts'
import { project } from './team.ts'
import { testContext } from './test-context.ts'

/** A parent that calls the child twice at once; the child streams text, calls a tool, and fails the second time. */
const TALKERS: Readonly<Record<string, string>> = {
  'Parent.md': '---\ndescription: p\nmodel: script/s.yaml\ndefault: true\nagents: [Child]\n---\nAsk.\n',
  'Child.md': '---\ndescription: c\nmodel: script/s.yaml\nfunctionTools: [t.mjs:look]\n---\nLook.\n',
  't.mjs': "export const look = () => 'seen'\nlook.description = 'Looks.'\n",
  's.yaml': `
agents:
  Parent:
    - call: [{tool: agent__Child, args: {text: good}}, {tool: agent__Child, args: {text: bad}}]
    - say: done
rules:
  - {when: '^(good|alone)', say: Child chat about it, call: [{tool: look}]}
  - {when: '^bad', say: Child chat about it, call: [{tool: look}, {tool: look}]}
  - {when: '^(good|alone)', say: answer}
  - {when: '^bad', fail: {status: 400, message: no}}
`,
}

type Surface = 'lines' | 'panel'

/** Shows a run of `agent` and returns the output. */
async function show(
  host: Awaited<ReturnType<typeof createHost>>,
  agent: string,
  { message, surface }: { readonly message: string; readonly surface: Surface },
): Promise<string> {
  const context = testContext({ tty: surface === 'panel' })
  const { stderr } = context.terminal
  const reporter: Reporter =
    surface === 'lines'
      ? createPlainReporter(stderr, { verbose: true })
      : createLiveReporter(context.terminal, { clock: fakeClock(), streams: false, keepsRoot: true })
  await host.run(agent, message, { onEvent: reporter.onEvent })
  reporter.end()
  return context.err()
}

describe('the chat of an agent', () => {
  it.each(['lines', 'panel'] as const)(
    `the text of an agent is hidden while it runs as a tool, in parallel and failed calls too, and shown in full when it runs alone (%s) ${verifies('A53', 'A54', 'A55', 'A56', 'A57', 'A51', 'A52')}`,
    async (surface) => {
      const folder = await project(TALKERS)
      const host = await createHost({ cards: [folder.path], cwd: folder.path, config: false, env: {} })
      onTestFinished(() => host.close())
      const before = JSON.stringify(host.definition('Child'))
      const [asTool, meanwhile] = await Promise.all([
        show(host, 'Parent', { message: 'go', surface }),
        show(host, 'Child', { message: 'alone', surface }),
      ])
      const after = await show(host, 'Child', { message: 'alone', surface })
      expect(asTool).not.toContain('Child chat')
      expect(asTool).toContain(surface === 'lines' ? 'calls look {}' : '2 tool calls')
      expect(meanwhile).toContain('Child chat about it')
      expect(after).toContain('Child chat about it')
      expect(JSON.stringify(host.definition('Child'))).toBe(before)
    },
  )
})

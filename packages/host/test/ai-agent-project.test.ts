import { join } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { messageText } from '@troupe/schema'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host } from '../src/index.ts'
import { openProject } from './support/open-team.ts'

const SERVER = join(import.meta.dirname, 'support/stdio-server.mjs')

/** A support team written after the documentation of ai-agent. */
const PROJECT = {
  '.ai-agent.json': JSON.stringify({
    providers: {
      house: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKey: '${HOUSE_KEY}' },
    },
    mcpServers: {
      notes: {
        type: 'stdio',
        command: process.execPath,
        args: [SERVER],
        env: { OFFICE: '${OFFICE}' },
        queue: 'slow',
        toolsAllowed: ['*'],
        toolsDenied: ['WIPE'],
      },
      unused: { type: 'websocket', url: 'ws://127.0.0.1:9' },
    },
    queues: { slow: { concurrent: 1 } },
    defaults: { temperature: 0.2, maxTurns: 6 },
  }),
  '.ai-agent.env': 'OFFICE=front\nHOUSE_KEY=sk-house-key\n',
  'office/clerk.ai': `#!/usr/bin/env ai-agent
---
description: Answers customers.
models: [house/large, house/small]
tools: [notes, batch]
agents: [look-up.ai]
output:
  format: json
  schema: { type: object, properties: { answer: { type: string } }, required: [answer] }
---
{% render "parts/tone.md" %}
Answer in \${FORMAT}.
`,
  'office/parts/tone.md': 'Be kind. {% include "words.md" %}',
  'office/parts/words.md': 'Use short words.',
  'office/look-up.ai': '---\ndescription: Looks things up.\nmodels: house/small\n---\nLook it up.\n',
  'office/front.ai': `---
description: Sends customers to the right clerk.
models: house/large
advisors: [risk.ai]
router: { destinations: [look-up.ai, clerk.ai] }
handoff: polish.ai
---
Choose a clerk.
`,
  'office/risk.ai': '---\ndescription: Names risks.\nmodels: house/small\n---\nName risks.\n',
  'office/polish.ai': '---\ndescription: Polishes.\nmodels: house/small\n---\nPolish.\n',
}

type Answer = (input: string, turn: number) => ScriptedStep

async function openOffice(entry: string, large: Answer, small: Answer): Promise<Host> {
  const { path } = await openProject(PROJECT)
  const play = (answer: Answer) =>
    scriptedModel((prompt) => {
      const last = prompt.findLast(({ role }) => role === 'user')
      const input = last === undefined ? '' : messageText(last)
      return answer(input, prompt.filter(({ role }) => role === 'assistant').length)
    })
  const host = await createHost({
    cards: [`office/${entry}.ai`],
    cwd: path,
    home: path,
    models: { 'house/large': play(large), 'house/small': play(small) },
  })
  onTestFinished(() => host.close())
  return host
}

const never: Answer = () => ({ text: 'not expected' })

describe('a project of ai-agent', () => {
  it(`a project of ai-agent is checked without changes, with what its configuration defines ${verifies('R4')}`, async () => {
    const host = await openOffice('clerk', never, never)
    const { problems, configFile } = host.plan()
    expect(problems).toEqual([])
    expect(configFile).toBeUndefined()
    const clerk = host.definition('clerk')
    expect(clerk.instruction).toBe('Be kind. Use short words.\nAnswer in JSON.')
    expect(clerk.model).toEqual(['house/large', 'house/small'])
    expect(clerk.settings.temperature).toBe(0.2)
    expect(clerk.limits.maxTurns).toBe(6)
    expect(Object.keys(clerk.mcpServers)).toEqual(['notes'])
    expect(clerk.mcpServers['notes']?.maxParallel).toBe(1)
  })

  it('an agent of ai-agent calls its server, its sub-agent, and answers with its schema', async () => {
    const host = await openOffice(
      'clerk',
      (_input, turn) =>
        turn === 0
          ? {
              calls: [
                { tool: 'notes__variable', args: { text: 'OFFICE' } },
                { tool: 'notes__wipe', args: { text: 'x' } },
                { tool: 'agent__look-up', args: { text: 'Where?' } },
              ],
            }
          : { text: '{"answer":"Here."}' },
      (input) => ({ text: `found: ${input}` }),
    )
    const { listener, events } = recordEvents()
    const report = await host.run('clerk', 'Where is it?', { onEvent: listener })
    expect(report).toMatchObject({ outcome: 'completed', output: { value: { answer: 'Here.' } } })
    const results = events.flatMap((event) =>
      event.type === 'tool-result' ? [[event.toolName, event.content[0]]] : [],
    )
    expect(results).toContainEqual(['notes__variable', { type: 'text', text: 'OFFICE=front' }])
    expect(results).toContainEqual(['agent__look-up', { type: 'text', text: 'found: Where?' }])
    expect(
      events.filter((event) => event.type === 'tool-result' && event.outcome === 'denied'),
    ).toMatchObject([{ toolName: 'notes__wipe' }])
  })

  it('an agent of ai-agent reads its advisors, hands over to a destination, and its answer is polished', async () => {
    const host = await openOffice(
      'front',
      (input) => ({
        calls: [
          {
            tool: 'router__handoff-to',
            args: { agent: 'look-up', message: input.includes('risk:') ? 'Careful.' : '' },
          },
        ],
      }),
      (input) => {
        if (input.startsWith('The request was:')) return { text: `polished ${input.split('\n').at(-1)}` }
        return { text: input.includes('Careful.') ? 'in drawer four' : 'risk: none' }
      },
    )
    const report = await host.run('front', 'Where is it?')
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'polished in drawer four' } })
    expect(Object.keys(report.usage.byAgent).toSorted()).toEqual(['front', 'look-up', 'polish', 'risk'])
  })

  it('a variable of an ai-agent configuration that no file defines is named with the files that were searched', async () => {
    const { path } = await openProject({ ...PROJECT, '.ai-agent.env': 'OFFICE=front\n' })
    const host = await createHost({ cards: ['office/look-up.ai'], cwd: path, home: path })
    onTestFinished(() => host.close())
    const [problem] = host.plan().problems
    expect(problem).toMatchObject({ code: 'env_missing' })
    expect(problem?.message).toContain('HOUSE_KEY')
    expect(problem?.message).toContain(join(path, '.ai-agent.env'))
  })

  it('the date in a prompt is the one that the host was created with, so a run can be resumed on another day', async () => {
    const { path } = await openProject({
      'a.ai': '---\ndescription: d\nmodels: passthrough\n---\nIt is ${DATETIME}.\n',
    })
    const digestOn = async (date: string): Promise<string> => {
      const host = await createHost({ cards: ['a.ai'], cwd: path, home: path, date: new Date(date) })
      onTestFinished(() => host.close())
      expect(host.definition('a').instruction).toBe(`It is ${date.slice(0, 10)}.`)
      return host.definition('a').digest
    }
    const first = await digestOn('2026-03-04T10:00:00Z')
    expect(await digestOn('2026-03-04T22:00:00Z')).toBe(first)
    expect(await digestOn('2026-03-05T10:00:00Z')).not.toBe(first)
  })

  it('two agents of ai-agent with one provider share its definition', async () => {
    const host = await openOffice('front', never, never)
    expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(CARD_FORMATS.formats.map(({ name }) => name)).toContain('ai-agent')
  })
})

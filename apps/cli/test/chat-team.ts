import { expect } from 'vitest'

/** Returns a boss that calls two agents at once and a tool that needs approval, and can be made to wait. `rules` are further rules of its script, tried first. */
export function chatTeam({
  delay,
  rules = '',
}: {
  readonly delay: string
  readonly rules?: string
}): Readonly<Record<string, string>> {
  return {
    'boss.md':
      '---\nname: boss\ndescription: Asks.\nmodel: script/s.yaml\ndefault: true\nagents: [look]\nfunctionTools: [t.mjs:save]\npermissions: {ask: [save]}\n---\nAsk.\n',
    'look.md': '---\nname: look\ndescription: Looks.\nmodel: script/s.yaml\n---\nLook.\n',
    't.mjs':
      "export const save = ({ what }) => 'saved ' + what\nsave.description = 'Saves.'\nsave.parameters = { type: 'object', properties: { what: { type: 'string' } } }\n",
    's.yaml': `
rules:${rules}
  - when: '^look$'
    say: I ask two.
    call: [{tool: agent__look, args: {text: left}}, {tool: agent__look, args: {text: right}}]
  - {when: '^look$', say: 'They saw {{results.0.text}}.'}
  - {when: '^(left|right)$', say: it, delay: ${delay}}
  - {when: '^wait$', say: never, delay: 60s}
  - {when: '^save$', call: [{tool: save, args: {what: it}}]}
  - {when: '^save$', say: 'Done: {{results.0.text}}'}
`,
  }
}

/** The lines of the answer to `look`. */
export const LOOK_ANSWER: readonly unknown[] = [
  'I ask two.',
  expect.stringMatching(/^ {2}✓ look\[1\] .* Completed$/u),
  expect.stringMatching(/^ {2}✓ look\[2\] .* Completed$/u),
  '',
  'They saw it.',
]

import { relative, resolve } from 'node:path'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { schemaFiles, CARD_SCHEMA, CONFIG_SCHEMA, SCRIPT_SCHEMA } from './schema.ts'
import { writeFiles } from './write-files.ts'

/**
 * Runs `troupe init [folder]`: writes a small team that runs without a key. Writes nothing if one of the
 * files exists.
 */
export function initCommand(folder: string, { cwd, terminal }: CommandContext): number {
  const target = resolve(cwd, folder)
  const written = writeFiles(target, { ...TEAM_FILES, ...schemaFiles() })
  for (const path of written) terminal.stdout.write(`${relative(cwd, path)}\n`)
  const way = relative(cwd, target)
  const next = way === '' ? 'troupe run .' : `cd ${way} && troupe run .`
  terminal.stderr.write(`\nA team of three, with a script for its model: no key is needed.\n\n  ${next}\n\n`)
  return EXIT.completed
}

/** Files of a small example team, by path. Its model is a script, so it runs without a key. */
const TEAM_FILES: Readonly<Record<string, string>> = {
  'desk.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: desk
description: Says whether the library is open.
usage: Is the library open today?
default: true
agents:
  - librarian
  - clerk
---
Ask the librarian for the opening hours and the clerk for the day, both at once.
Then say in one sentence whether the library is open.
`,
  'librarian.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: librarian
description: Knows when the library is open.
usage: opening hours
functionTools:
  - library.ts:openingHours
---
Look up the opening hours and repeat them.
`,
  'clerk.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: clerk
description: Knows which day it is.
usage: what day is it?
functionTools:
  - library.ts:today
---
Look up the day and say it.
`,
  'library.ts': `// Functions become tools by being named in a card: \`library.ts:today\`. No build step.

export function today(): string {
  return new Date().toLocaleDateString('en-GB', { weekday: 'long' })
}
today.description = 'The day of the week.'

export function openingHours(): string {
  return 'Monday to Friday from 9 to 18, Saturday from 10 to 14'
}
openingHours.description = 'When the library is open.'
`,
  'script.yaml': `# yaml-language-server: $schema=${SCRIPT_SCHEMA}
# What the model of each agent answers, turn by turn. The tools and the agents in it are really called.
agents:
  desk:
    - call:
        - { tool: agent__librarian, args: { text: opening hours } }
        - { tool: agent__clerk, args: { text: what day is it? } }
    - say: '{{results.1.text}} {{results.0.text}}'
  librarian:
    - call: [{ tool: openingHours, args: {} }]
    - say: 'The library is open {{results.0.text}}.'
  clerk:
    - call: [{ tool: today, args: {} }]
    - say: 'Today is {{results.0.text}}.'
`,
  'troupe.json': `{
  "$schema": "${CONFIG_SCHEMA}",
  "defaults": { "model": "script/script.yaml" }
}
`,
  'troupe.env.example': `# Copy to troupe.env, which is read for every agent of this folder and which git ignores.
OPENAI_API_KEY=
ANTHROPIC_API_KEY=
`,
  '.gitignore': 'troupe.env\n',
  'README.md': `# A team of three

\`desk.md\` asks \`librarian.md\` and \`clerk.md\` at once; each has a function of \`library.ts\` as its tool.

    troupe run . "Is the library open today?"   run it
    troupe check .                               what it can do, what is wrong
    troupe new archivist                         one agent more
    troupe run clerk.md --help                   every key a card may have

No key is needed, as \`script.yaml\` plays the model. With a model of a provider, the same team:

    cp troupe.env.example troupe.env             and put a key in
    troupe run . --model openai/gpt-5-mini "Is the library open today?"

To keep that model, put it into \`troupe.json\` as \`defaults.model\`.
`,
}

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
  terminal.stderr.write(
    `\nCreated a team of three agents. A script plays the model, so you need no key.\n\n  ${next}\n\n`,
  )
  return EXIT.completed
}

/** Files of a small example team, by path. Its model is a script, so it runs without a key. */
const TEAM_FILES: Readonly<Record<string, string>> = {
  'desk.md': `---
# yaml-language-server: $schema=${CARD_SCHEMA}
name: desk
description: Answers whether the library is open.
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
description: Knows the current weekday.
usage: what day is it?
functionTools:
  - library.ts:today
---
Look up the day and say it.
`,
  'library.ts': `// A card uses a function as a tool by naming it, as in \`library.ts:today\`. No build step is needed.

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
# The answers of each agent's model, turn by turn. Tools and agents named here are really called.
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
  'troupe.env.example': `# Copy this file to troupe.env, which applies to every agent of this folder and is ignored by git.
OPENAI_API_KEY=
ANTHROPIC_API_KEY=
`,
  '.gitignore': 'troupe.env\n',
  'README.md': `# A team of three agents

\`desk.md\` asks \`librarian.md\` and \`clerk.md\` in parallel. Each of them has a function of \`library.ts\` as its tool.

    troupe run . "Is the library open today?"   # run the team
    troupe check .                              # show its agents, tools and problems
    troupe new archivist                        # add an agent
    troupe run clerk.md --help                  # show every key that a card can have

You need no key, because \`script.yaml\` plays the model. To use a model of a provider instead:

    cp troupe.env.example troupe.env            # then add your key
    troupe run . --model openai/gpt-5-mini "Is the library open today?"

To always use that model, set \`defaults.model\` in \`troupe.json\`.
`,
}

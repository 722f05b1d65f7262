import { expect, it } from 'vitest'
import { runProgram } from '../src/program.ts'
import { testContext } from './test-context.ts'

const INTRO = `# Command help

This page shows the help of every command, as \`troupe help <command> --all\` prints it. [Command line](../cli.md) explains the
options, and describes output and exit codes.

This page is generated. Update it with \`vitest run --project cli help-page -u\`.
`

/** Returns the help that a command line prints. */
async function helpOf(words: readonly string[], ...flags: readonly string[]): Promise<string> {
  const context = testContext({ columns: 100 })
  expect([words, await runProgram([...words, '--help', ...flags], context)]).toEqual([words, 0])
  return context.out().trimEnd()
}

/** Returns the names of the commands that a short help lists. */
function commandsOf(help: string): readonly string[] {
  const [list = ''] = help.split('\nCommands:\n').slice(1)
  const [rows = ''] = list.split('\n\n')
  return Array.from(rows.matchAll(/^ {2}(?<name>[a-z]+)/gmu), ({ groups }) => groups?.['name'] ?? '').filter(
    (name) => name !== 'help',
  )
}

/** Returns the sections of a command and of its subcommands. */
async function sectionsOf(words: readonly string[]): Promise<readonly string[]> {
  const own = `## ${['troupe', ...words].join(' ')}\n\n\`\`\`text\n${await helpOf(words, '--all')}\n\`\`\`\n`
  const sections: string[] = [own]
  for (const name of commandsOf(await helpOf(words))) sections.push(...(await sectionsOf([...words, name])))
  return sections
}

it('the page of the command help has the help of every command', async () => {
  const sections = await sectionsOf([])
  expect(sections.length).toBeGreaterThan(30)
  await expect([INTRO, ...sections].join('\n')).toMatchFileSnapshot('../../../docs/reference/commands.md')
})

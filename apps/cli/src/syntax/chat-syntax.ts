import { Option, type Command } from 'commander'
import type { ChatOptions } from '../chat/chat-context.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const EXAMPLES = `
On a terminal the answer is written as it comes, with the children that work on it below. /help lists what can be typed
besides messages: /agent /model /tools /runs /budget /retry /sessions /new /save /exit. Ctrl-C stops the answer, Ctrl-D leaves.
Without a terminal each line of stdin is a turn, and the answers go to stdout.

Examples:
  troupe chat time.md
  troupe chat ./team --agent planner --max-cost 0.5
  troupe chat ./team --list                     earlier conversations
  troupe chat ./team --continue                 go on with the last one
  troupe chat ./team --session trip             go on with this one, or begin it
  troupe chat ./team --watch                    edits of cards hold from the next message on
  printf 'What time is it?\\nAnd in Rome?\\n' | troupe chat time.md --quiet
`

export function addChat(program: Command, launch: Launch): void {
  const command = program
    .command('chat')
    .description('talk with the agents of a card or folder')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent to talk to; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(repeatable('--set <key=value>', 'changes a key of the entry agent, such as limits.maxTurns=5'))
    .addOption(
      new Option('--session <id>', 'go on with this conversation, or begin it').conflicts([
        'continue',
        'list',
      ]),
    )
    .addOption(
      new Option('-c, --continue', 'go on with the conversation that changed last').conflicts('list'),
    )
    .option('--list', 'list the conversations with agents of this team')
    .option('--whole', 'without a terminal: all of stdin is one message')
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'keep nothing: the conversation ends with the program')
    .option('--timeout <duration>', 'the longest that one answer may take, such as 60s')
    .option('--max-cost <usd>', 'the most that all answers together may cost, such as 0.5')
    .option('--max-tokens <number>', 'the most tokens that all answers together may use, in and out')
    .option('-w, --watch', 'take edits of cards at once; an answer on its way ends as it began')
    .option('-y, --yes', 'approve every call that asks')
    .option('-q, --quiet', 'print nothing on stderr but errors and what is asked')
    .option('-v, --verbose', 'lines with more of their text in place of the panel')
    .addOption(
      new Option(
        '--log-format <format>',
        'lines in place of the panel: for people, or a JSON object each',
      ).choices(['text', 'json']),
    )
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((card: string, options: ChatOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { chatCommand } = await import('../commands/chat.ts')
        return chatCommand(card, options, context)
      }),
    )
}
